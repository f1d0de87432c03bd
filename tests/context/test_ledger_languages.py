"""Exact details, rules and corrections in languages other than English and Chinese."""

import pytest

from tests.context.logs import answer, log_of, user
from tests.context.test_ledger import kinds_of
from tui_agent.context.ledger import details_of, supersede


@pytest.mark.parametrize(
    ("text", "kind", "exact"),
    [
        ("Die Rechnung über 1.284,50 € ist offen", "number", "1.284,50 €"),
        ("macht 19,99 EUR", "number", "19,99 EUR"),
        ("12'500 CHF im Jahr", "number", "12'500 CHF"),
        ("бюджет 1 250 000 руб.", "number", "1 250 000 руб"),
        ("価格は3000円です", "number", "3000円"),
        ("約3時間かかります", "number", "3時間"),
        ("zahlbar in 14 Tagen", "number", "14 Tagen"),
        ("через 5 дней", "number", "5 дней"),
        ("vom 14.11.2026 an", "number", "14.11.2026"),
        ("on 03/14/2026", "number", "03/14/2026"),
        ("am 3. März 2027", "number", "3. März 2027"),
        ("am 3. Mai", "number", "3. Mai"),
        ("до 15 марта 2027", "number", "15 марта 2027"),
        ("le 3 mars 2027", "number", "3 mars 2027"),
        ("el 3 de marzo de 2027", "number", "3 de marzo de 2027"),
        ("Rechnung Nr. 2026-0417", "number", "2026-0417"),
        ("Kundennummer 88213", "number", "88213"),
        ("счёт №4417", "number", "4417"),
        ("Steuernummer 27/123/45678", "number", "27/123/45678"),
        ("HRB 98765", "number", "HRB 98765"),
        ("Telefon 040 / 123 456-78", "number", "040 / 123 456-78"),
        ("mobil 0171 2345678", "number", "0171 2345678"),
        ("USt-IdNr. DE123456789", "hash", "DE123456789"),
        ("Gerät Möwe-7-Kiel", "hash", "Möwe-7-Kiel"),
        ("in /home/jürgen/büro/übersicht.txt", "path", "/home/jürgen/büro/übersicht.txt"),
        ("in /home/юзер/отчёт-2026.pdf", "path", "/home/юзер/отчёт-2026.pdf"),
        (r"in C:\Users\Jürgen\Übersicht.xlsx", "path", r"C:\Users\Jürgen\Übersicht.xlsx"),
        ("in src/Größe/Maß.py", "path", "src/Größe/Maß.py"),
        ("in ~/Документы/план.md", "path", "~/Документы/план.md"),
        ("データは /データ/売上.csv にあります", "path", "/データ/売上.csv"),
        ("경로 /데이터/보고서.pdf 확인", "path", "/데이터/보고서.pdf"),
        ("設定は config/本番.yaml です", "path", "config/本番.yaml"),
        ("siehe café.txt", "path", "café.txt"),
        ("an jörg@müller.de", "url", "jörg@müller.de"),
        ("auf bücher.example.org", "url", "bücher.example.org"),
    ],
)
def test_an_exact_detail_is_found_whole(text: str, kind: str, exact: str) -> None:
    assert kinds_of(text) == {exact: kind}


@pytest.mark.parametrize(
    ("text", "name", "stated"),
    [
        ("Die IBAN ist DE89 3704 0044 0532 0130 00.", "iban", "Die IBAN ist DE89 3704 0044 0532 0130 00"),
        ("Unser Budget beträgt 40.000 €.", "budget", "Unser Budget beträgt 40.000 €"),
        ("Die neue Adresse lautet Hafenstraße 12a.", "neue adresse", "Die neue Adresse lautet Hafenstraße 12a"),
        ("Das Passwort ist möwe.", "passwort", "Das Passwort ist möwe"),
        ("Ansprechpartnerin ist Frau Dr. Lüders.", "ansprechpartnerin", "Ansprechpartnerin ist Frau Dr. Lüders"),
        ("Пароль: Кит-7", "пароль", "Пароль: Кит-7"),
        ("パスワードは kumo-7 です。", "パスワード", "パスワードは kumo-7"),
        ("ポート番号は8081です", "ポート番号", "ポート番号は8081"),
        ("担当者は田中です。", "担当者", "担当者は田中"),
    ],
)
def test_a_named_value_is_found_with_its_name(text: str, name: str, stated: str) -> None:
    values = {detail.name: detail.text for detail in details_of(log_of(user(text))) if detail.kind == "named value"}

    assert values == {name: stated}


@pytest.mark.parametrize(
    "text",
    [
        "Niemals an die alte Adresse schicken",
        "Bitte immer die Bestellnummer angeben",
        "Du musst die Skonti getrennt buchen",
        "Ab sofort nur noch per Mail",
        "Kein Deployment am Freitag",
        "Kundendaten dürfen nicht ins Log",
        "Никогда не пушь в main",
        "Нельзя трогать папку gen",
        "Тесты должны обязательно проходить",
        "テストは必ず CI で実行してください",
        "本番環境は触らないでください",
        "Ne poussez jamais sur main",
        "Il faut toujours lancer les tests",
        "No debes tocar main",
        "Nunca uses tabuladores",
    ],
)
def test_a_rule_is_kept_as_a_whole_sentence(text: str) -> None:
    assert kinds_of(text).get(text) == "rule"


@pytest.mark.parametrize(
    "text",
    [
        "Ich muss morgen zum Arzt und komme später.",
        "Das dauert immer so lange.",
        "Er ist nie zufrieden mit dem Ergebnis.",
        "Der Kunde ist zufrieden, der Termin ist vorbei.",
        "Das Passwort ist falsch.",
        "Kein Problem, keine Ahnung.",
        "Das ist nicht gut, sondern schlecht.",
        "Eine 2-stündige E-Mail-Diskussion.",
        "Я всегда так делал, надо подумать об этом.",
        "Это не просто быстро, а очень быстро, 2-й раз.",
        "必ず失敗するテストがあります。",
        "これはバグではなく仕様です。",
        "ファイルは空です。",
        "Il faut que je parte, c'est toujours la même chose.",
        "Siempre llega tarde.",
    ],
)
def test_ordinary_prose_has_no_details(text: str) -> None:
    assert kinds_of(text) == {}


@pytest.mark.parametrize(
    ("first", "second", "current"),
    [
        ("Der Betrag ist 1.284,50 €.", "Korrektur: der Betrag ist 1.248,50 €, nicht 1.284,50 €.", "1.248,50 €"),
        ("Frist: 3. März 2027", "Die Frist ist nicht der 3. März 2027, sondern der 10. März 2027.", "10. März 2027"),
        ("Порт: 8080", "Порт не 8080, а 9090.", "9090"),
        ("ポートは8080です", "ポートは 8080 ではなく 9090 です。", "9090"),
        ("Le port: 8080", "Le port n'est pas 8080 mais 9090.", "9090"),
        ("El puerto: 8080", "El puerto no es 8080 sino 9090.", "9090"),
    ],
)
def test_a_corrected_value_replaces_the_one_before(first: str, second: str, current: str) -> None:
    standing = supersede(details_of(log_of(user(first), answer("ok"), user(second))))
    values = [detail.text for detail in standing if detail.kind == "named value"]

    assert len(values) == 1
    assert current in values[0]
