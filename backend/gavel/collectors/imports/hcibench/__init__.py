"""Results of HCIBench: the summary over its VMs (res.txt)."""
