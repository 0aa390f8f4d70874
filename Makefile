# Every target is one word of scripts/dev.sh, which also runs without make.
# Variables: PORT, LAB, LAB_PORT, DATA_DIR (up), UPGRADE (lock), LABS (truth), KILLS (chaos), DOCUMENTS and
# REQUESTS (hostile), BOTH and FOLDER (pushes, writes), WHOLE (pushes), ENTITIES, MINUTES, DATA_DIR (load), SEED (the three), PYTHON (all).

TARGETS := up test check quick e2e setup lock peers truth hostile chaos alerts pushes writes bench load shots vitals clean

.DEFAULT_GOAL := help
.PHONY: help $(TARGETS)

export BOTH FOLDER WHOLE PORT LAB LAB_PORT DATA_DIR UPGRADE LABS DOCUMENTS REQUESTS KILLS ENTITIES TRANSITIONS MINUTES SEED PYTHON

help:
	@scripts/dev.sh help

$(TARGETS):
	@scripts/dev.sh $@
