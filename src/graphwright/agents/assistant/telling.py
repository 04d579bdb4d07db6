"""What code tells the user in its own words, English and German, around and in place of the model's text."""

from __future__ import annotations

from collections.abc import Sequence

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "sources": "Sources",
        "not_evaluated": "It could not be evaluated whether these results answer the question.",
        "failed": "{tool} failed: {why}",
        "removed_1": "A link that leads to none of the sources was removed.",
        "removed": "{count} links that lead to none of the sources were removed.",
        "numbers": "A statement with a figure that stands in no source was left out.",
        "cut": "The answer became too long; it ends here.",
        "unasked": "{tool} was not called: nobody plainly asked to {verb} anything.",
        "changed": "{call} was called, as you asked.",
        "changed_maybe": "{call} was called, as you asked, and failed: look whether it changed anything.",
        "missing": "The tools of {server} are missing: it {why}.",
        "found": "This is what the sources say:",
        "nothing": "I found nothing about that{where}.",
        "nowhere": "I found nothing about that: no source speaks of {words}.",
        "nothing_else": "Not everything could be searched; in the rest I found nothing about that.",
        "nowhere_else": "Not everything could be searched; what could be does not speak of {words}.",
        "log_nowhere": "I found nothing about that: no log entry of that time speaks of {words}.",
        "near": "The nearest, but not the same: {titles}.",
        "other_time": "In the time that was asked for nothing was found; this is from another time.",
        "none_logged": "The logbook has no entry of that time about it.",
        "no_day": "There is no such day: {days}.",
        "searched": " (searched for: {terms})",
        "unsure": "The results may not fully answer the question.",
        "left_out": "{count} more results were found and are not shown here.",
        "no_tools": "No tool could be called.",
        "unsearched": "I could not look that up.",
        "without_elog": "No logbook was searched: there is none of your own yet (`elog` in graphwright.toml, or "
        "`graphwright elog import`).",
        "without_knowledge": "No documentation was searched: there is none of your own yet (`knowledge` in "
        "graphwright.toml, or `graphwright knowledge index`).",
        "sample_elog": "What was searched is the sample logbook that comes with Graphwright, of an invented light "
        "source. For your own, set `elog` in graphwright.toml, or use `graphwright elog import`.",
        "sample_knowledge": "What was searched is the sample documentation that comes with Graphwright, of an invented "
        "light source. For your own, set `knowledge` in graphwright.toml, or use `graphwright knowledge index`.",
        "sample_knowledge_elog": "What was searched is the sample documentation and the sample logbook that come with "
        "Graphwright, of an invented light source. For your own, set `knowledge` and `elog` in graphwright.toml.",
        "greeting": "Hello! What would you like to know?",
        "thanks": "You are welcome.",
        "farewell": "Goodbye!",
        "conversation": "Nothing was said before in this conversation.",
        "asked": "Before that you asked: “{text}”",
        "files": "I could not find that in the files.",
        "none": "I cannot say that without looking it up.",
        "model": "The model gave no usable answer ({why}).",
        "blind": "The model in use cannot see images: {names} was not looked at.",
        "unseen": "{titles} came with an image that could not be shown.",
        "long": "The question has {length} characters; the first {most} were read.",
        "number_only": "The results do not say more about it than this.",
        "source": "From the source",
        "in_en": "in English",
        "in_de": "in German",
        "quote": "“{text}”",
        "entries": "Further entries that were found:",
    },
    "de": {
        "sources": "Quellen",
        "not_evaluated": "Ob diese Ergebnisse die Frage beantworten, konnte nicht geprüft werden.",
        "failed": "{tool} ist fehlgeschlagen: {why}",
        "removed_1": "Ein Link, der zu keiner der Quellen führt, wurde entfernt.",
        "removed": "{count} Links, die zu keiner der Quellen führen, wurden entfernt.",
        "numbers": "Eine Aussage mit einer Zahl, die in keiner Quelle steht, wurde weggelassen.",
        "cut": "Die Antwort wurde zu lang; sie endet hier.",
        "unasked": "{tool} wurde nicht aufgerufen: Niemand hat klar darum gebeten ({verb}).",
        "changed": "{call} wurde aufgerufen, wie Sie gebeten haben.",
        "changed_maybe": "{call} wurde aufgerufen, wie Sie gebeten haben, und ist fehlgeschlagen: "
        "Sehen Sie nach, ob sich etwas geändert hat.",
        "missing": "Die Werkzeuge von {server} fehlen ({why}).",
        "found": "Das sagen die Quellen:",
        "nothing": "Dazu habe ich nichts gefunden{where}.",
        "nowhere": "Dazu habe ich nichts gefunden: Keine Quelle spricht von {words}.",
        "nothing_else": "Nicht alles konnte durchsucht werden; im Übrigen habe ich dazu nichts gefunden.",
        "nowhere_else": "Nicht alles konnte durchsucht werden; im Übrigen spricht keine Quelle von {words}.",
        "log_nowhere": "Dazu habe ich nichts gefunden: Kein Logbucheintrag aus dieser Zeit spricht von {words}.",
        "near": "Am nächsten kommt, ist aber nicht dasselbe: {titles}.",
        "other_time": "In der gefragten Zeit wurde nichts gefunden; dies ist aus einer anderen Zeit.",
        "none_logged": "Im Logbuch steht aus dieser Zeit nichts dazu.",
        "no_day": "Diesen Tag gibt es nicht: {days}.",
        "searched": " (gesucht nach: {terms})",
        "unsure": "Die Ergebnisse beantworten die Frage möglicherweise nicht ganz.",
        "left_out": "{count} weitere Ergebnisse wurden gefunden und sind hier nicht gezeigt.",
        "no_tools": "Es konnte kein Werkzeug aufgerufen werden.",
        "unsearched": "Das konnte ich nicht nachschlagen.",
        "without_elog": "Ein Logbuch wurde nicht durchsucht: Es gibt noch kein eigenes (`elog` in graphwright.toml, "
        "oder `graphwright elog import`).",
        "without_knowledge": "Dokumentation wurde nicht durchsucht: Es gibt noch keine eigene (`knowledge` in "
        "graphwright.toml, oder `graphwright knowledge index`).",
        "sample_elog": "Durchsucht wurde das Beispiellogbuch, das mit Graphwright kommt, von einer erfundenen "
        "Lichtquelle. Für ein eigenes `elog` in graphwright.toml setzen oder `graphwright elog import` verwenden.",
        "sample_knowledge": "Durchsucht wurde die Beispieldokumentation, die mit Graphwright kommt, von einer "
        "erfundenen Lichtquelle. Für eine eigene `knowledge` in graphwright.toml setzen oder `graphwright knowledge "
        "index` verwenden.",
        "sample_knowledge_elog": "Durchsucht wurden die Beispieldokumentation und das Beispiellogbuch, die mit "
        "Graphwright kommen, von einer erfundenen Lichtquelle. Für eigene `knowledge` und `elog` in graphwright.toml "
        "setzen.",
        "greeting": "Hallo! Was möchten Sie wissen?",
        "thanks": "Gern geschehen.",
        "farewell": "Auf Wiedersehen!",
        "conversation": "In diesem Gespräch wurde vorher nichts gesagt.",
        "asked": "Davor haben Sie gefragt: „{text}“",
        "files": "Das habe ich in den Dateien nicht gefunden.",
        "none": "Das kann ich nicht sagen, ohne es nachzuschlagen.",
        "model": "Das Modell hat keine brauchbare Antwort gegeben ({why}).",
        "blind": "Das verwendete Modell kann keine Bilder sehen: {names} wurde nicht angesehen.",
        "unseen": "Zu {titles} gehört ein Bild, das nicht gezeigt werden konnte.",
        "long": "Die Frage hat {length} Zeichen; gelesen wurden die ersten {most}.",
        "number_only": "Mehr sagen die Ergebnisse dazu nicht.",
        "source": "Aus der Quelle",
        "in_en": "auf Englisch",
        "in_de": "auf Deutsch",
        "quote": "„{text}“",
        "entries": "Weitere Einträge, die gefunden wurden:",
    },
}


def say(language: str, what: str, **values: object) -> str:
    """A sentence in a language; in English where it is not there in that one."""
    return _TEXTS.get(language, _TEXTS["en"])[what].format(**values)


def removed(language: str, count: int) -> str:
    """That links were taken out; empty where none was."""
    return say(language, "removed_1" if count == 1 else "removed", count=count) if count else ""


def put_together(answer: str, sources: str, notes: Sequence[str]) -> str:
    """The answer as the user gets it: its text, what is to be noted, and the sources."""
    noted = "\n".join(f"*{note}*" for note in dict.fromkeys(notes) if note)
    return "\n\n".join(part for part in (answer.strip(), noted, sources) if part)
