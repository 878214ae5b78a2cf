# The public names, each once: for type checkers, and for __init__.py, which loads a name from the module given here.
from assay.api import Evaluator as Evaluator
from assay.api import audit as audit
from assay.api import baseline_table as baseline_table
from assay.api import ceiling as ceiling
from assay.api import chance_of_best as chance_of_best
from assay.api import chart as chart
from assay.api import compare as compare
from assay.api import compare_groups as compare_groups
from assay.api import correlate as correlate
from assay.api import evaluate as evaluate
from assay.api import misses as misses
from assay.api import read_scores as read_scores
from assay.api import report as report
from assay.api import significance_table as significance_table
from assay.api import why as why
from assay.assessing.bias import pool_bias as pool_bias
from assay.assessing.new_study import pool as pool
from assay.checking.check import check as check
from assay.comparing.agreement import agreement as agreement
from assay.comparing.check_sample import check_sample as check_sample
from assay.comparing.comparison import Comparison as Comparison
from assay.comparing.correlation import Correlation as Correlation
from assay.comparing.paired import topics_needed as topics_needed
from assay.comparing.significance import GroupedComparison as GroupedComparison
from assay.comparing.tables import SignificanceTable as SignificanceTable
from assay.converting.convert import convert as convert
from assay.converting.elements import ideal_run as ideal_run
from assay.converting.elements import recall_base as recall_base
from assay.converting.elements import relevance as relevance
from assay.converting.locate import locate as locate
from assay.documents.lookup import Documents as Documents
from assay.errors import AssayError as AssayError
from assay.errors import InputError as InputError
from assay.errors import UsageError as UsageError
from assay.fusing.fuse import fuse as fuse
from assay.gating.gate import gate as gate
from assay.measures.base import Count as Count
from assay.measures.base import Linear as Linear
from assay.measures.base import Measure as Measure
from assay.measures.base import parameter as parameter
from assay.measures.best_entry_point import *  # noqa: F403
from assay.measures.blended import *  # noqa: F403
from assay.measures.budgets import *  # noqa: F403
from assay.measures.counts import *  # noqa: F403
from assay.measures.curves import curve as curve
from assay.measures.diversity import *  # noqa: F403
from assay.measures.facts import *  # noqa: F403
from assay.measures.focused import *  # noqa: F403
from assay.measures.graded import *  # noqa: F403
from assay.measures.levels import *  # noqa: F403
from assay.measures.notation import explain as explain
from assay.measures.notation import parse as parse
from assay.measures.passages import *  # noqa: F403
from assay.measures.pooled import *  # noqa: F403
from assay.measures.precall import *  # noqa: F403
from assay.measures.published import *  # noqa: F403
from assay.measures.ragas_contexts import *  # noqa: F403
from assay.measures.ranked import *  # noqa: F403
from assay.measures.sampled_pools import *  # noqa: F403
from assay.measures.sets import *  # noqa: F403
from assay.measures.snippets import *  # noqa: F403
from assay.measures.user_models import *  # noqa: F403
from assay.measures.xcg import *  # noqa: F403
from assay.ranking.documents import Ranking as Ranking
from assay.ranking.documents import ratio as ratio
from assay.ranking.kinds import DOCUMENTS as DOCUMENTS
from assay.ranking.kinds import ELEMENTS as ELEMENTS
from assay.ranking.kinds import SAMPLED as SAMPLED
from assay.ranking.kinds import SUBTOPICS as SUBTOPICS
from assay.ranking.kinds import TEXT as TEXT
from assay.reading.read import read_judgments as read_judgments
from assay.reading.read import read_run as read_run
from assay.scores import Scores as Scores
from assay.tables.judgments import Judgments as Judgments
from assay.tables.run import Run as Run

__version__: str
