"""The baseline of HTTP: a bare Flask app that says hello."""

from flask import Flask

app = Flask(__name__)


@app.post("/")
def hello() -> tuple[str, int]:
    return "hello", 201
