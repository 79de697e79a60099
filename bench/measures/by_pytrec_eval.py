"""Mean nDCG of runs as a user of pytrec_eval writes it: python by_pytrec_eval.py QRELS RUN [RUN ...]"""

import sys

import pytrec_eval

with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"})
for path in sys.argv[2:]:
    with open(path) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    print(path, sum(found["ndcg"] for found in values.values()) / len(values), sep="\t")
