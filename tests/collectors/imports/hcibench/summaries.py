"""The summary of HCIBench, made from its grammar: of tests with fio and with vdbench."""


def of_fio(*, iops: str = "24000.00", read_ms: str = "0.6100", write_ms: str = "0.8400", job: str = "job0") -> str:
    return (
        "Datastore     = vsanDatastore\n=============================\n"
        f"JOB_NAME\t= {job}\nVMs\t\t= 8\nIOPS\t\t= {iops} IO/S\nTHROUGHPUT\t= 93.75 MB/s\nR_LATENCY\t= {read_ms} ms\n"
        f"W_LATENCY\t= {write_ms} ms\n95%tile_R_LAT\t= 1.2000 ms\n95%tile_W_LAT\t= 1.9000 ms\n=============================\n"
        "Resource Usage:\nCPU USAGE  = 30%\nIOPS = many\n"
    )


def of_vdbench() -> str:
    return (
        "Datastore     = vsanDatastore\n=============================\nVersion:\tvdbench50407\n"
        "Run Def:\tRD=run1; I/O rate: Uncontrolled MAX; elapsed=3600; For loops: None\nVMs\t\t= 8\nIOPS\t\t= 24000.5 IO/S\n"
        "THROUGHPUT\t= 93.75 MB/s\nLATENCY\t\t= 0.68 ms\nR_LATENCY\t= 0.61 ms\nW_LATENCY\t= 0.84 ms\n95%tile_LAT\t= 1.7 ms\n"
        "=============================\nResource Usage:\nCPU USAGE  = 30%\n"
    )
