"""What is known of the operations that several processes run together."""

from __future__ import annotations

from tensordbg.model import NONE
from tensordbg.operations.collective import Collective
from tensordbg.operations.lookup import operation


def collective(op_type: str) -> Collective:
    found = operation("tensorflow", op_type).collective
    assert found is not None
    return found


def test_the_number_of_parties_stands_before_the_group() -> None:
    assert collective("CollectiveReduceV2").size_input == 1
    assert collective("CollectiveBcastRecvV2").size_input == 0
    assert collective("CollectiveReduce").size_input == NONE


def test_who_sends_and_who_receives_do_one_thing() -> None:
    assert collective("CollectiveBcastSendV2").kind == collective("CollectiveBcastRecvV2").kind
    assert collective("CollectiveBcastRecvV2").receives
    assert not collective("CollectiveBcastSendV2").receives


def test_what_joins_devices_is_told_from_what_joins_processes() -> None:
    assert collective("NcclAllReduce").between == "device"
    assert collective("CollectiveReduceV2").between == "process"


def test_others_do_nothing_together() -> None:
    assert operation("tensorflow", "Add").collective is None
