"""Brings the catalogues up to the code: `make translations`."""

import io

from babel.messages import Catalog
from babel.messages.pofile import write_po

from tests.support.catalogues import OTHERS, extract, path_of, read


def update(language: str, found: Catalog) -> tuple[str, int]:
    """Return the new text of a catalogue, and how many translations it lacks."""
    kept = read(language)
    new = Catalog(locale=language, charset="utf-8", header_comment=kept.header_comment)
    missing = 0
    for message in found:
        if not message.id:
            continue
        former = kept.get(message.id)
        has_words = former is not None and former.id == message.id and not former.fuzzy
        words = former.string if has_words and former else None
        places = sorted({name for name, _ in message.locations})
        new.add(message.id, words, [(place, None) for place in places])
        words = new[message.id].string or ""
        missing += not all([words] if isinstance(words, str) else words)
    text = io.BytesIO()
    write_po(text, new, width=88, sort_output=True, omit_header=True)
    head = (
        f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {new.plural_forms}\\n"\n\n'
    )
    return head + text.getvalue().decode(), missing


def main() -> None:
    """Write each catalogue anew: what is new has no words yet, what is gone is gone."""
    found = extract()
    for language in OTHERS:
        text, missing = update(language, found)
        path_of(language).write_text(text, encoding="utf-8")
        print(f"{path_of(language)}: {missing} texts to translate")


if __name__ == "__main__":
    main()
