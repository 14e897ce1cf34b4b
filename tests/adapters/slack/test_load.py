"""Many questions at once, over either transport: none is lost, none is answered twice."""

import pytest

from tests.adapters.slack.load_run import load


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["socket", "http"])
async def test_many_questions_at_once_are_each_answered_once(transport: str) -> None:
    report = await load(transport, channels=40, rate=25, seconds=6, alone=5)

    busy = report["at_rate"]
    assert (busy["questions"], busy["lost"], busy["doubled"]) == (150, 0, 0)
    assert report["redelivered"]["events"] > 300
    assert report["redelivered"]["new_messages"] == 0
    assert report["given_up"] == 0
    assert busy["memory_mib"]["after"] < busy["memory_mib"]["before"] + 100
