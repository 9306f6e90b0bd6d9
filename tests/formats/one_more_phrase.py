"""A plugin of pytest: the table of phrases as it is when somebody has added one."""

from services.match import phrases

phrases.PHRASES = (*phrases.PHRASES, "match.sample_added")
