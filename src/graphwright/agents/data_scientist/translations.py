"""German and French words of everyday data, as the English words that the rest of the reading knows."""

from __future__ import annotations

_WORDS = {
    "absent": "fehlend fehlende fehlen absent absents",
    "account": "konto konten compte comptes",
    "address": "adresse adressen anschrift adresses",
    "age": "alter alt alten ältere älteren ältesten älteste ältester alters âge âgé âgée âgés agé",
    "alcohol": "alkohol alcool",
    "amount": "betrag beträge summe bestellwert montant montants",
    "area": "fläche flächen surface surfaces superficie",
    "bill": "rechnung rechnungen facture factures addition",
    "blood pressure": "blutdruck",
    "bonus": "bonus prämie prämien prime primes",
    "booking": "buchung buchungen réservation réservations",
    "capital": "kapital capital",
    "category": "kategorie kategorien catégorie catégories",
    "channel": "kanal kanäle buchungskanal canal canaux",
    "children": "kind kinder enfant enfants",
    "city": "stadt städte städten ort orte ville villes",
    "cholesterol": "cholesterin cholesterinwert cholestérol",
    "color": "farbe farben farbintensität couleur couleurs",
    "consumption": "verbrauch konsum consommation",
    "copper": "kupfer cuivre",
    "cost": "kosten coût coûts frais",
    "country": "land länder ländern pays staat staaten",
    "crime": "verbrechen kriminalität straftaten crime crimes criminalité",
    "cultivar": "rebsorte rebsorten cépage cépages",
    "customer": "kunde kunden kundin kundinnen client clients cliente clientes",
    "date": "datum date dates",
    "day": "tag tage tagen jour jours",
    "delivery": "lieferung lieferungen livraison livraisons",
    "department": "abteilung abteilungen département départements service services",
    "diagnosis": "diagnose diagnosen diagnostic diagnostics",
    "discount": "rabatt rabatte nachlass remise remises rabais",
    "distance": "entfernung entfernungen strecke distanz distance distances",
    "duration": "dauer durée durées",
    "education": "bildung ausbildung éducation formation",
    "email": "email mailadresse courriel courriels",
    "employee": "mitarbeiter mitarbeiterin mitarbeiterinnen angestellte angestellten beschäftigte employé employés",
    "employment": "beschäftigung emploi emplois",
    "expenditure": "ausgabe ausgaben dépense dépenses",
    "export": "export exporte exportations",
    "fare": "fahrpreis tarif tarifs",
    "firm": "firma firmen unternehmen betrieb betriebe entreprise entreprises société sociétés",
    "food": "lebensmittel essen nahrung nahrungsmittel nourriture alimentation alimentaire alimentaires",
    "gender": "geschlecht geschlechter sexe sexes",
    "graduate": "absolvent absolventen abschluss diplômé diplômés",
    "guest": "gast gäste gästen hôte hôtes",
    "gdp": "bip pib bruttoinlandsprodukt",
    "height": "groß körpergröße größe höhe taille hauteur",
    "house": "haus häuser immobilie immobilien maison maisons logement logements",
    "household": "haushalt haushalte haushalten haushalts ménage ménages",
    "humidity": "feuchtigkeit luftfeuchtigkeit luftfeuchte humidité",
    "income": "einkommen einkommens einkünfte revenu revenus",
    "inflation": "inflation teuerung",
    "interest": "zins zinsen zinssatz intérêt intérêts",
    "investment": "investition investitionen investissement investissements",
    "length": "länge längen longueur longueurs",
    "marriage": "ehe ehen mariage mariages",
    "married": "verheiratet verheiratete marié mariés mariée mariées",
    "mode": "verkehrsmittel transport",
    "month": "monat monate monaten monatlich mois mensuel",
    "murder": "mord morde mordrate meurtre meurtres homicide homicides",
    "name": "name namen nom noms prénom",
    "night": "nacht nächte nächten übernachtung übernachtungen nuit nuits nuitée nuitées",
    "old": "alte alter âgé vieux vieille",
    "order": "bestellung bestellungen auftrag aufträge bestellt bestellten commande commandes commandé",
    "party": "partei parteien parti partis",
    "patient": "patient patienten patientin patientinnen patients patiente patientes",
    "petal": "blütenblatt blütenblätter pétale pétales",
    "phone": "telefon telefonnummer handynummer téléphone",
    "population": "bevölkerung einwohner einwohnerzahl population habitants",
    "postcode": "postleitzahl postleitzahlen plz postal postale postaux",
    "poverty": "armut armutsquote armutsrate pauvreté",
    "precipitation": "niederschlag niederschläge regen regenmenge précipitation précipitations pluie pluies",
    "pressure": "druck pression",
    "price": "preis preise preisen prix",
    "product": "produkt produkte produkten artikel ware waren produit produits article articles",
    "profit": "gewinn gewinne marge margen profit profits bénéfice bénéfices",
    "quantity": "menge mengen stückzahl stückzahlen quantité quantités",
    "quarter": "quartal quartale quartalen trimestre trimestres",
    "rating": "bewertung bewertungen note noten évaluation évaluations avis",
    "region": "region regionen gebiet gebiete région régions",
    "rent": "miete mieten loyer loyers",
    "returned": "retoure retouren rücksendung rücksendungen retourenquote retours renvois",
    "revenue": "umsatz umsätze umsatzes erlös erlöse verkäufe chiffre affaires ventes recette recettes",
    "room": "zimmer räume raum chambre chambres pièce pièces",
    "salary": "gehalt gehälter gehalts lohn löhne verdienst salaire salaires paie rémunération",
    "school": "schule schulen école écoles",
    "segment": "segment segmente segments",
    "sepal": "kelchblatt kelchblätter sépale sépales",
    "shoe": "schuh schuhgröße schuhgrößen pointure pointures chaussure chaussures",
    "shop": "laden läden geschäft geschäfte filiale filialen magasin magasins boutique",
    "sick": "krank kranke krankheitstage krankentage fehltage malade malades maladie",
    "signup": "anmeldung anmeldungen registrierung inscription inscriptions",
    "size": "größe größen taille tailles",
    "smoker": "raucher raucherin raucherinnen rauchen fumeur fumeurs fumeuse fumeuses fument",
    "species": "art arten spezies espèce espèces",
    "speed": "geschwindigkeit tempo vitesse",
    "state": "bundesstaat bundesstaaten bundesland bundesländer état états",
    "station": "station stationen stations",
    "stock": "lagerbestand lagerbestände bestand bestände stock stocks",
    "supplier": "lieferant lieferanten fournisseur fournisseurs",
    "survived": "überlebt überlebten überlebende survécu",
    "tax": "steuer steuern impôt impôts taxe taxes",
    "temperature": "temperatur temperaturen température températures",
    "tip": "trinkgeld trinkgelder pourboire pourboires",
    "type": "typ typen type types",
    "unemployment": "arbeitslosigkeit arbeitslosenquote arbeitslose arbeitslosen arbeitslosenzahl chômage chômeurs",
    "units": "stück einheiten unités",
    "urban": "städtisch städtische urbain urbaine",
    "volume": "volumen wassermenge volume",
    "vote": "stimme stimmen wahl wählen vote votes voix",
    "ward": "krankenstation service services",
    "weight": "schwer gewicht gewichte poids",
    "width": "breite breiten largeur largeurs",
    "wind": "wind windgeschwindigkeit vent vents",
    "year": "jahr jahre jahren jährlich année années an ans annuel",
}

_ENGLISH: dict[str, list[str]] = {}
for _english, _others in _WORDS.items():
    for _other in _others.split():
        _ENGLISH.setdefault(_other, []).append(_english)

_STATISTIC = ("durchschnitts", "mittlere", "gesamt", "höchst", "mindest", "jahres", "monats", "tages", "median")
"""What stands before a German noun and says how it is reckoned, not what it is."""

_MADE_OF = ("gehalt", "gehalte", "gehalts", "anteil", "quote", "rate", "wert", "werte", "werten", "zahl", "zahlen")
"""What stands behind a German noun and adds nothing to it: `Alkoholgehalt` is alcohol."""

_FEWEST_LETTERS, _FEWEST_AT_END = 4, 3
"""Letters of a part of a compound, and of the last: `Zimmertyp`."""


def english_for(word: str) -> tuple[tuple[str, ...], ...]:
    """What a German or French word may be in English; each way is one word, or the parts of a compound.

    `Gehalt` is (("salary",),), `Zimmerpreis` is (("room", "price"),). Empty for an unknown word, and for a compound of
    which one part is unknown: a size of shoes is no size of parties.
    """
    plain = bare(word)
    if found := _ENGLISH.get(plain):
        return tuple((each,) for each in found)
    for first in _STATISTIC:
        rest = plain.removeprefix(first)
        if rest != plain and len(rest) >= _FEWEST_LETTERS:
            return english_for(rest)
    for place in range(len(plain) - _FEWEST_AT_END, _FEWEST_LETTERS - 1, -1):
        for joint in ("", "s", "n", "en", "er"):
            head = plain[:place]
            if not head.endswith(joint):
                continue
            one = _ENGLISH.get(head.removesuffix(joint))
            rest = plain[place:]
            if one and rest in _MADE_OF:
                return tuple((each,) for each in one)
            if one and (other := _ENGLISH.get(rest)):
                return tuple((a, b) for a in one for b in other)
    return ()


def stripped(word: str) -> str:
    """A word without what only says how it is reckoned or measured: `Magnesiumgehalts` is magnesium."""
    plain = bare(word)
    for first in _STATISTIC:
        plain = plain.removeprefix(first) if len(plain) - len(first) >= _FEWEST_LETTERS else plain
    for last in _MADE_OF:
        if plain.endswith(last) and len(plain) - len(last) >= _FEWEST_LETTERS:
            return plain.removesuffix(last)
    return plain


def bare(word: str) -> str:
    """A word without a French article before it: `l'âge` is âge."""
    # casefold would write ß as ss.
    return word.lower().replace("’", "'").rpartition("'")[2]
