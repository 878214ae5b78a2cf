"""The names of all measures, by family. Nothing is imported here, so that names can be known before anything is loaded."""

# The one list: each family is a module, loaded when one of its measures is asked for.
FAMILIES = {
    "ranked": ("AP", "GMAP", "RR", "Rprec", "YAAP"),
    "levels": ("IPrec", "IPrec11"),
    "pooled": ("bpref", "GMbpref", "infAP"),
    "graded": ("nDCG", "DCG", "ERR", "RBP", "RBPresidual", "Compatibility", "nDCGrel", "RnDCG", "G", "binG"),
    "blended": ("Q",),
    "sets": ("P", "R", "F", "Success", "SetP", "SetR", "SetF", "SetAP", "RelativeP", "Accuracy", "Utility"),
    "counts": ("Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelJudgedRet"),
    "focused": ("iP", "AiP", "gP", "gR", "AgP"),
    "entries": ("BEP", "Window", "T2I"),
    "passages": ("PASSAGE", "PASSAGE2"),
    "xcg": ("nxCG", "MAnxCG", "CG", "ep", "gr", "Aep", "iAep", "Rmeasure"),
    "precall": ("inex2002", "inex2003"),
}
