# Every target is one word of scripts/dev.sh, which also runs without make.
# Variables: PORT, LAB, LAB_PORT, DATA_DIR (up), UPGRADE (lock), WHAT (explore), LABS (truth), KILLS (chaos), DOCUMENTS,
# REQUESTS and FILES (hostile), BOTH and FOLDER (pushes, writes), WHOLE (pushes), ENTITIES, MINUTES, DATA_DIR (load), SEED (campaigns and explore), PYTHON (all).

TARGETS := up test check quick e2e explore setup lock peers truth hostile chaos alerts pushes writes bench load shots vitals clean

# `make explore truth` explores that part: the words after `explore` are no targets then.
ifeq ($(firstword $(MAKECMDGOALS)),explore)
PART_NAMES := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
TARGETS := $(filter-out $(PART_NAMES),$(TARGETS))
endif

.DEFAULT_GOAL := help
.PHONY: help $(TARGETS) $(PART_NAMES)

export BOTH FOLDER WHOLE PORT LAB LAB_PORT DATA_DIR UPGRADE LABS DOCUMENTS REQUESTS FILES KILLS ENTITIES TRANSITIONS MINUTES SEED PYTHON

help:
	@scripts/dev.sh help

$(TARGETS):
	@scripts/dev.sh $@ $(if $(filter explore,$@),$(WHAT) $(PART_NAMES))

$(PART_NAMES): | explore
	@:
