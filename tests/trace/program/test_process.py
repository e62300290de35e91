"""A process's place in its run, as launchers put it into the environment."""

from __future__ import annotations

import json

import pytest

from tensordbg.trace.program.process import ProcessPlace, place_of


def tf_config(index: int, *workers: str, task: str = "worker") -> dict[str, str]:
    config = {"cluster": {"worker": list(workers)}, "task": {"type": task, "index": index}}
    return {"TF_CONFIG": json.dumps(config)}


def test_nobody_said_anything() -> None:
    assert place_of({}) == ProcessPlace()
    assert ProcessPlace().name == ""


def test_workers_of_one_cluster_share_its_name_and_not_their_own() -> None:
    first, second = (place_of(tf_config(index, "a:1", "b:2")) for index in (0, 1))
    assert first.runs == second.runs != ()
    assert [first.name, second.name] == ["worker 0", "worker 1"]
    assert place_of(tf_config(0, "a:1", "c:3")).runs != first.runs


def test_no_address_is_kept() -> None:
    (name,) = place_of(tf_config(0, "secret.example:1", "b:2")).runs
    assert "secret" not in name


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"TENSORDBG_RUN": "night"}, ProcessPlace(("run:night",))),
        (
            {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": "3", "SLURM_NTASKS": "4"},
            ProcessPlace(("slurm:7.0",), "rank", 3),
        ),
        ({"SLURM_JOB_ID": "7", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, ProcessPlace()),
        ({"PMIX_NAMESPACE": "job1", "OMPI_COMM_WORLD_RANK": "2"}, ProcessPlace(("mpi:job1",), "rank", 2)),
        ({"RANK": "5"}, ProcessPlace((), "rank", 5)),
    ],
)
def test_launchers(environment: dict[str, str], place: ProcessPlace) -> None:
    assert place_of(environment) == place


def test_processes_that_meet_at_one_address() -> None:
    ranks = [place_of({"MASTER_ADDR": "h", "MASTER_PORT": "1", "RANK": str(rank)}) for rank in (0, 1)]
    assert ranks[0].runs == ranks[1].runs != ()
    assert [rank.name for rank in ranks] == ["rank 0", "rank 1"]


@pytest.mark.parametrize(
    "text",
    ['{"cluster": ' + '{"a": ' * 100_000, "", "{", "[]", "3", '{"cluster": 1, "task": 2}', '{"task": {"type": ""}}'],
)
def test_what_is_not_well_formed_tells_nothing(text: str) -> None:
    assert place_of({"TF_CONFIG": text, "RANK": "one"}) == ProcessPlace()


@pytest.mark.parametrize("row", [None, 3, {}, {"runs": "x", "task": 3, "index": "1"}, {"index": True}])
def test_what_is_read_may_be_anything(row: object) -> None:
    assert ProcessPlace.from_json(row) == ProcessPlace()


def test_there_and_back() -> None:
    place = ProcessPlace(("run:a", "cluster:b"), "worker", 1)
    assert ProcessPlace.from_json(json.loads(json.dumps(place.to_json()))) == place


def test_what_is_learned_later_is_added() -> None:
    known = ProcessPlace(("run:a",), "rank", 0)
    assert known.joined(ProcessPlace()) == known
    assert known.joined(ProcessPlace(("cluster:b",), "worker", 1)) == ProcessPlace(("run:a", "cluster:b"), "worker", 1)
