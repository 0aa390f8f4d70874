/** Configurations of agents that push to Gavel, with address and token filled in. Pure. */

import type { GuestScript } from '../../api/types'

export type Agent = 'telegraf_linux' | 'telegraf_windows' | 'collector'

export interface Target {
  url: string
  token: string
}

/** Where guests reach the listener: on the host that this page is open on, unless somebody says otherwise. */
export const listenerUrl = (hostname: string, port: number, isTls: boolean) =>
  `${isTls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`

/** It becomes text of configurations and programs, in quotes. */
export const isListenerUrl = (text: string) => /^https?:\/\/[\w.:[\]-]+(\/[\w./-]*)?$/.test(text)

const output = ({ url, token }: Target) => `[[outputs.influxdb_v2]]
  urls = ["${url}"]
  token = "${token}"
  organization = "gavel"
  bucket = "guests"
`

const AGENT = `[agent]
  interval = "10s"
  flush_interval = "10s"
`

const linux = (target: Target) => `${AGENT}
[[inputs.diskio]]
  skip_serial_number = false

${output(target)}`

const windows = (target: Target) => `${AGENT}
[[inputs.win_perf_counters]]
  [[inputs.win_perf_counters.object]]
    ObjectName = "PhysicalDisk"
    Instances = ["*"]
    Counters = [
      "Disk Reads/sec", "Disk Writes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec",
      "Avg. Disk sec/Read", "Avg. Disk sec/Write", "Avg. Disk Queue Length",
    ]
    Measurement = "win_diskio"

${output(target)}`

const collector = ({ url, token }: Target) => `receivers:
  hostmetrics:
    collection_interval: 10s
    scrapers:
      disk:
processors:
  resourcedetection:
    detectors: [system]
exporters:
  otlphttp:
    endpoint: ${url}
    encoding: json
    headers:
      Authorization: Bearer ${token}
service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
      processors: [resourcedetection]
      exporters: [otlphttp]
`

export const CONFIGURATIONS: Record<Agent, (target: Target) => string> = {
  telegraf_linux: linux,
  telegraf_windows: windows,
  collector,
}

/** A script of Gavel's own, ready to run. */
export const scriptFor = (script: GuestScript, { url, token }: Target): string =>
  script.text.replace(script.address_mark, url).replace(script.token_mark, token)

/** "web-01, web-02" as names; empty ones are none. */
export const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
