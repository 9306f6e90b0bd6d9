"""What a text of the page is: a template that Babel finds, or two if it counts."""

from dataclasses import dataclass

from services.languages import Language


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text with facts in the place of their names: `Phrase("Play {place}")`."""

    template: str

    def told(self, language: Language) -> str:
        """Return the template in a language; the page puts the facts in."""
        return language.form(self.template)


@dataclass(frozen=True, slots=True)
class Phrases:
    """A text that depends on its fact `count`: the English for one, and for many."""

    one: str
    many: str

    def told(self, language: Language) -> dict[str, str]:
        """Return its forms in a language, as `Intl.PluralRules` calls them."""
        return {
            "one": language.form(self.one, self.many, 1),
            "other": language.form(self.one, self.many, 2),
        }


Words = dict[str, Phrase | Phrases]
