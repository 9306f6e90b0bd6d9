"""Analyses: questions that are thought about when nobody waits for a move."""

from services.analysis.analyses import Analyses
from services.analysis.analysis import Analysis, Found
from services.analysis.question import HINT, MATCH, POSITION, Question
from services.analysis.refusals import AnalysisOver, NoSuchAnalysis, TooManyAnalyses

__all__ = [
    "HINT",
    "MATCH",
    "POSITION",
    "Analyses",
    "Analysis",
    "AnalysisOver",
    "Found",
    "NoSuchAnalysis",
    "Question",
    "TooManyAnalyses",
]
