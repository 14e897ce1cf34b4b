from core.asked import asked
from core.topic import terms_of, topic_of

FOUND = ["O crachá custa R$ 35,00.", "O crachá vale um ano.", "O alarme K-77 fecha a válvula."]


def share(question: str, text: str) -> float:
    return topic_of(asked(question), FOUND).share(terms_of(text))


def test_a_text_with_all_topic_words_holds_the_whole_topic() -> None:
    assert share("quanto custa o crachá?", FOUND[0]) == 1.0
    assert share("quanto custa o crachá?", "nada disso") == 0.0


def test_words_count_in_any_inflection_and_without_accents() -> None:
    assert share("quanto custam os crachas?", FOUND[0]) == 1.0


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert share("o crachá do alarme", "alarme") > share("o crachá do alarme", "crachá")


def test_a_code_weighs_more_than_a_word() -> None:
    assert share("o alarme K-77", "K-77") > share("o alarme K-77", "alarme")


def test_an_item_of_a_section_is_held_by_the_section() -> None:
    assert share("o que diz 14.3(b)", "14.3 Circuitos. (b) feche.") == 1.0


def test_missing_words_come_heaviest_first_and_verbs_only_alone() -> None:
    topic = topic_of(asked("como devolver o uniforme?"), FOUND)

    assert topic.missing(frozenset()) == ("uniforme",)
    assert topic.missing(terms_of("uniforme")) == ("devolver",)


def test_a_question_without_topic_words_shares_nothing() -> None:
    assert topic_of(asked("?"), FOUND).share(terms_of(FOUND[0])) == 0.0


def test_a_slip_of_the_hand_is_read_as_the_word_of_the_texts_but_not_as_another_word() -> None:
    assert share("quanto custa o crahcá?", FOUND[0]) == 1.0
    assert share("alarmme K-77", FOUND[2]) == 1.0
    assert share("quanto custa o cracha?", FOUND[0]) > share("quanto custa o uniforme?", FOUND[0])
    assert topic_of(asked("o uniforme"), FOUND).missing(terms_of(FOUND[0])) == ("uniforme",)


def test_a_frame_that_no_text_holds_costs_nothing_and_one_that_is_held_helps_a_little() -> None:
    assert share("qual a definição de crachá?", FOUND[0]) == 1.0
    named = topic_of(asked("qual o documento do crachá?"), ["O documento.", *FOUND])
    assert 0.0 < named.share(terms_of("documento")) < 0.3


def test_the_plural_of_letters_is_the_same_word() -> None:
    assert share("o crachá do dvd", "crachás e DVDs") == 1.0
