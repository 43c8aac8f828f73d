"""Training pairs about generated designs: pairs a second, memory, bytes a pair, and how varied the reasoning is.

python benchmarks/training_pairs.py --pairs 5000

Counts the time of one core's work, so that other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from designgym.train.aesthetics_data.designs import open_supply
from designgym.train.aesthetics_data.diversity import diversity
from designgym.train.aesthetics_data.rows import RuleWriter, groups
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.shards import read_columns, write_shard


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--source", default="layouts")
    arguments = parser.parse_args()
    settings = DataSettings(n=arguments.pairs, source=arguments.source)
    supply, schedule, writer = open_supply(settings, None), Schedule(settings), RuleWriter(settings)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{shard}.parquet" for shard in range(settings.shards)]
        begin = time.process_time()
        for shard, path in enumerate(files):
            write_shard(path, groups(settings, schedule, supply, shard, writer))
            done = settings.numbers(shard).stop
            print(f"{done:6d} pairs  {done / (time.process_time() - begin):6.1f} a second  {_resident_mb():5.0f} MB")
        size = sum(path.stat().st_size for path in files)
        print(f"{size / settings.n / 1000:.1f} kB a pair")
        for name, value in asdict(diversity(_paths(files))).items():
            print(f"{name}: {value}")


def _paths(files: list[Path]) -> Iterator[str]:
    for path in files:
        for row in read_columns(path, ("completion",)):
            yield row["completion"][0]["content"][0]["text"].partition("\n<tool_call>")[0]


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    main()
