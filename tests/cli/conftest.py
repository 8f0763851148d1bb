"""Small files for the command line, and a fixture that runs a line in their folder."""

import shlex

import pytest

from receval.cli import main

FILES = {
    "recs.csv": "user,item,score\nu1,a,2\nu1,b,1\nu2,a,2\nu2,b,1\n",
    "other.csv": "user,item,score\nu1,b,2\nu1,a,1\nu2,b,2\nu2,a,1\n",
    "renamed.csv": "uid,item,score\nu1,a,2\nu1,b,1\nu2,a,2\nu2,b,1\n",
    "ranks.csv": "user,item,position\nu1,a,1\nu1,b,2\nu2,a,1\nu2,b,2\n",
    "truth.csv": "user,item,relevance\nu1,a,1\nu2,b,1\n",
    "ungraded.csv": "user,item\nu1,a\nu2,b\n",
    "rated.csv": "user,item,my rating,rating\nu1,a,1,1\nu2,b,1,1\n",
    "beir.tsv": "query-id\titem\tscore\nu1\ta\t1\nu2\tb\t1\n",
    "recs.run": "u1 Q0 a 1 2 x\nu1 Q0 b 2 1 x\nu2 Q0 a 1 2 x\nu2 Q0 b 2 1 x\n",
    "truth.qrels": "u1 0 a 1\nu2 0 b 1\n",
    "seen.csv": "user,item\nu1,a\n",
    "gaps.csv": "user,item,rank\nu1,a,1\nu1,b,3\n",
    # Two systems in one table, whose columns have other names.
    "both.csv": "who,what,place,by\n1,a,2,A\n1,b,1,A\n1,a,1,B\n1,b,2,B\n",
    "stars.csv": "who,what,stars\n1,a,1\n",
    # User 2 has no list; user 1 has two equal scores.
    "level.csv": "user,item,score\n1,a,0.5\n1,b,0.5\n",
    "twice.csv": "user,item,score\n1,a,0.5\n1,b,0.5\n1,a,0.4\n",
    "asked.csv": "user,item,relevance\n1,a,1\n2,a,1\n",
    "known.csv": "user,item\n1,a\n",
    "numbers.run": "1 Q0 a 1 0.5 t\n1 Q0 b 2 0.4 t\n",
    "numbers.qrels": "1 0 a 1\n2 0 a 1\n",
    "wrong.csv": "user\n1\n",
    "wide.csv": "user,a,b\nu1,2,1\n",
    "texts.csv": "user,item,score\nu1,a,x\n",
    "nobody.csv": "user,item,score\nu1,a,2\n,b,1\n",
}
FILES["run.robust04.txt"] = FILES["again.run"] = FILES["recs.run"]
FILES["qrels.robust04.txt"] = FILES["truth.qrels"]
# Of two systems, one is better for every user.
TABLES_OF_EIGHT = {
    "late": ("rank", ["b,1", "a,2"]),
    "early": ("rank", ["a,1"]),
    "eight": ("relevance", ["a,1"]),
}
for name, (last, rows) in TABLES_OF_EIGHT.items():
    lines = [f"{user},{row}" for user in range(1, 9) for row in rows]
    FILES[f"{name}.csv"] = "\n".join([f"user,item,{last}", *lines])
FILES["uid.csv"] = FILES["eight.csv"].replace("user,", "uid,")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command line in a folder with the files; return status, output and errors."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, "utf-8")
    monkeypatch.chdir(tmp_path)

    def run_line(line):
        try:
            status = main(shlex.split(line))
        except SystemExit as stopped:
            status = stopped.code
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run_line
