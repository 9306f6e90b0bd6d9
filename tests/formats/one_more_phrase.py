"""A plugin of pytest: the table of phrases as it is when somebody has added one."""

from services.eventlog import phrases

phrases.PHRASES = (*phrases.PHRASES, "match.sample_added")
phrases._CODES.append((phrases.PHRASES[-1], chr(len(phrases.PHRASES))))
phrases._PHRASES[len(phrases.PHRASES)] = phrases.PHRASES[-1]
