"""Chat templates: written by strangers, so they run in a sandbox with limits."""

import json
from pathlib import Path

import pytest

from engine.conversation import Message
from engine.errors import TemplateError
from engine.preprocess.chat_template import ChatTemplate, load_chat_template

QUESTION = [Message("user", "hi")]


@pytest.mark.parametrize(
    "source",
    [
        "{{ cycler.__init__.__globals__ }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ 'a' * 50000000 }}",
        "{{ 50000000 * 'a' }}",
        "{{ [0] * 900000000 }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '{:>999999999}'.format(1) }}",
        "{{ 'a'.ljust(999999999) }}",
        "{% set a = 'a' * 4000000 %}{% set b %}{{ a }}{{ a }}{{ a }}{% endset %}",
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a }}",
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ a | tojson }}",
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 40 + "{{ 'x' ~ a }}",
        "{{ 10 ** 10000000 }}",
        "{% set a = 'a' * 4000000 %}{{ a + a + a }}",
        "{% set a = 'a' * 4000000 %}{{ a.replace('a', a) }}",
        "{% set a = 'a' * 4000000 %}{{ a | replace('a', a) }}",
        "{% set a = 'a' * 4000000 %}{{ a.join(['b', 'b', 'b', 'b']) }}",
        "{% set a = 'a' * 4000000 %}{{ ['b', 'b', 'b', 'b'] | join(a) }}",
        "{% set a = 'a' * 4000000 %}{{ a ~ a ~ a }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ raise_exception('Conversation roles must alternate') }}",
        "{{ missing.attribute.of.nothing }}",
    ],
)
def test_a_template_that_does_what_it_must_not_is_refused_with_a_sentence(source: str) -> None:
    with pytest.raises(TemplateError, match="cannot write this conversation"):
        ChatTemplate(source).render(QUESTION)


@pytest.mark.parametrize("source", ["{% for %}", "{{ 'a' | center(999999999) }}"])
def test_a_template_that_is_no_jinja_or_uses_an_unknown_filter_is_refused_when_it_is_read(source: str) -> None:
    with pytest.raises(TemplateError, match="not valid"):
        ChatTemplate(source)


def test_templates_have_what_the_format_promises() -> None:
    source = (
        "{{ bos_token }}{% for m in messages %}{% if not loop.last %}{% continue %}{% endif %}"
        "{{ loop.index }}{{ m['content'] | upper }}{% endfor %}{{ [1, '你'] | tojson }}"
    )

    assert ChatTemplate(source, begin_token="<s>").render([*QUESTION, *QUESTION]) == '<s>2HI[1, "你"]'


def test_a_budget_is_for_one_rendering() -> None:
    template = ChatTemplate("{% for i in range(90000) %}{% endfor %}ok")

    assert [template.render(QUESTION) for _ in range(4)] == ["ok"] * 4


def test_a_model_without_a_template_gives_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [2]}))

    with pytest.raises(TemplateError, match="has no chat template"):
        load_chat_template(tmp_path, str)


def test_the_tokens_at_both_ends_come_from_the_generation_config(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text(json.dumps({"bos_token_id": 1, "eos_token_id": [2, 0]}))
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }} {{ eos_token }}", encoding="utf-8")

    template = load_chat_template(tmp_path, ["<pad>", "<s>", "</s>"].__getitem__)

    assert template.render(QUESTION) == "<s> </s>"
