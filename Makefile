# Every target is one word of scripts/dev.sh, which also runs without make.
# Variables: PORT, LAB, LAB_PORT, DATA_DIR (up), UPGRADE (lock), LABS (truth), KILLS (chaos), DOCUMENTS and
# REQUESTS (hostile), SEED (the three), PYTHON (all).

TARGETS := up test check quick e2e setup lock peers truth hostile chaos alerts bench shots vitals clean

.DEFAULT_GOAL := help
.PHONY: help $(TARGETS)

export PORT LAB LAB_PORT DATA_DIR UPGRADE LABS DOCUMENTS REQUESTS KILLS TRANSITIONS MINUTES SEED PYTHON

help:
	@scripts/dev.sh help

$(TARGETS):
	@scripts/dev.sh $@
