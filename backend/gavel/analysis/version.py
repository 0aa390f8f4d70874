"""Which rules wrote a row of the ledger."""

# Raise it by one with every change of `gavel.analysis` after which the same samples give other rows: other estimates or bounds, other flags
# of reasons or qualities. Not for what is computed from stored rows (diagnoses, sentences), nor for speed. Minutes of earlier versions are
# written again once where their samples are still kept, and labelled where they are not.
#   1: up to 0.1
#   2: parts weighted by their own I/Os, time above devices as one sum, extents apart, missing samples and proven instants bounded
#   3: means over volumes behind one device, and over disks that are volumes or files, hold whatever counts are good to
#   4: what guests measured of their own disks is the outermost boundary
#   5: captures with a row every 6 s or more narrow nothing, and bounds by shorter rows reach a little further at a sample's edges
#   6: volumes of both arrays behind one device are weighted by their I/Os in each sample's own time, not in its minute;
#      a sample that latency parts at a minute's edge may have run a tenth faster on one side than the samples beside it;
#      minutes all of whose I/Os may belong to the minutes beside them are marked;
#      and a counter that is proven an instant leaves open all that changed around it
RULES_VERSION = 6
