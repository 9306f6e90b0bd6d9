"""The lobby: who looks for somebody to play with, and who is given to whom."""

from services.lobby.lobby import Lobby, LobbyFull, NoSuchSeek
from services.lobby.pairing import pairs
from services.lobby.seek import Pairing, Seek

__all__ = ["Lobby", "LobbyFull", "NoSuchSeek", "Pairing", "Seek", "pairs"]
