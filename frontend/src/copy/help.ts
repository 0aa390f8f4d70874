/** The help panel: keys, how to read the charts, and the glossary. */

export const title = 'Help'
export const closeHelp = 'Close help'
export const keyboard = 'Keyboard'
export const earlier = 'Half a time window earlier'
export const later = 'Half a time window later'
export const thisHelp = 'Help and glossary'
export const charts = 'Reading the charts'
export const about = 'About'
export const glossary = 'Glossary'
export const filterGlossary = 'Filter glossary'
export const noTerm = 'No matching term'
export const apiReference = 'API reference'
export const notices = 'Third-party notices'
export const billOfMaterials = 'Software bill of materials (CycloneDX)'
export const path =
  'An I/O passes guest, kernel, SAN and array, in this order: left to right in breakdowns, bottom to top in stacks. “Latency breakdown” and “Latency over time” are estimated from the counters of both sides. Whiskers and bands are ranges (lower–upper), the line under a bar is the baseline. Hatched gray marks layers that are not separable, dots in a layer’s color mark segments that are not. ▲: above baseline even at the lower bound. A question mark: the estimate is above baseline, the lower bound is not.'
export const counters =
  '“Latency by boundary” shows raw counters. Areas are the array’s own times: service, queue, QoS rate-limit time and SAN time. Lines are host counters: GAVG (guest latency), DAVG (device latency), KAVG (kernel latency) and QAVG (queue latency).'
export const gaps =
  'Hatched gray over the whole height is a gap: no samples, with the reason at the cursor. “Not measured” is never zero. Drag over a chart to zoom; the browser’s back button zooms out.'

export interface Term {
  term: string
  meaning: string
}

/** In the order in which a reader meets them. */
export const GLOSSARY: readonly Term[] = [
  { term: 'Latency', meaning: 'Time of an I/O at the outermost boundary that is measured.' },
  { term: 'Layer', meaning: 'Guest, kernel, SAN or array: the four parts of an I/O’s latency.' },
  {
    term: 'Segment',
    meaning:
      'Guest queue, hypervisor (virtual disk → device), kernel queue (QAVG), kernel processing (KAVG − QAVG), fabric, array port (SAN time), QoS rate limit, array queue, array service: the nine parts of the layers.',
  },
  { term: 'Latency breakdown', meaning: 'The layers’ shares of the latency in one window.' },
  {
    term: 'Baseline',
    meaning: 'Latency that is normal for the object at this hour; the configured default without enough history.',
  },
  { term: 'Excess latency', meaning: 'Sum over layers of the latency above the layer’s baseline, each at least 0.' },
  {
    term: 'Excess outstanding I/O',
    meaning: 'Excess latency × IOPS: outstanding I/Os that exist only because of the excess.',
  },
  {
    term: 'Severity',
    meaning:
      'How bad, from the excess alone. Normal: below 0.2 ms or 25 % of the baseline, whichever is larger. Elevated: from there on. High: from 1 ms or 100 % of the baseline on, whichever is larger. Cleared: over, with its time.',
  },
  {
    term: 'Confidence',
    meaning:
      'How sure the layer is. Confirmed: even by the lower bound. Likely: by the estimate. Inconclusive: two layers cannot be separated. Limited counters: 1 ms counters are too coarse to decide.',
  },
  { term: 'Diagnosis', meaning: 'Layer, object, excess and confidence for one object and window.' },
  { term: 'Cause', meaning: 'Object and limit behind the excess.' },
  { term: 'Range', meaning: 'Lower and upper bound between which the value lies.' },
  {
    term: 'Estimated, reported',
    meaning: 'Estimated: fitted to the counters of both sides. Reported: as the source reports it.',
  },
  {
    term: 'Not separable',
    meaning: 'Two layers or segments that the counters cannot separate, most often with 1 ms counters.',
  },
  { term: 'Outstanding I/O (OIO)', meaning: 'I/Os issued and not completed: active plus queued.' },
  { term: 'ACTV, QUED', meaning: 'Outstanding I/Os in the device queue, and those waiting for a slot in it.' },
  {
    term: 'Queue depth (DQLEN)',
    meaning:
      'Slots of one device queue on one host. DQLEN is the effective depth; DSNRO limits it when VMs share a LUN.',
  },
  { term: 'GAVG (guest latency)', meaning: 'Latency of an I/O as the VMkernel sees it: KAVG + DAVG.' },
  { term: 'DAVG (device latency)', meaning: 'From the adapter driver to the array and back.' },
  { term: 'KAVG (kernel latency)', meaning: 'In the VMkernel, including its queue.' },
  { term: 'QAVG (queue latency)', meaning: 'The queue’s part of KAVG.' },
  { term: 'SAN time', meaning: 'Time between array and hosts as the array measures it at its port.' },
  { term: 'QoS rate limit', meaning: 'Time that the array holds an I/O back because of a bandwidth or IOPS limit.' },
  { term: 'I/O path, hop', meaning: 'VM → disk → host queue → path → volume → array.' },
  { term: 'Top contributors', meaning: 'VMs or hosts ranked by their share of the latency in a layer.' },
  { term: 'Counter, sample, interval', meaning: 'A raw number, with its unit, resolution, source and time.' },
  { term: 'Host/array match', meaning: 'I/Os counted by hosts ÷ I/Os counted by the array.' },
  { term: 'Clock skew', meaning: 'Offset of a source’s clock from Gavel’s, with its error.' },
  {
    term: 'Data quality',
    meaning: 'A to D, with reasons such as 1 ms counters, missing samples or a host/array mismatch.',
  },
  {
    term: 'Gap, backfill',
    meaning: 'A missing interval with its reason, and its later reading from the source’s own history.',
  },
  { term: 'Stale, lag', meaning: 'Too old to show as current; the delay of a stream.' },
  { term: 'Analyzed through', meaning: 'End of the last minute with a diagnosis.' },
  { term: 'Environment', meaning: 'Everything that Gavel polls.' },
  {
    term: 'Alert',
    meaning:
      'Pending, firing, recovering, resolved: a rule’s condition on one object. Value, duration and peak follow.',
  },
  {
    term: 'Late detection',
    meaning: 'A threshold that was passed in data which arrived after the notification window: listed, not notified.',
  },
  {
    term: 'Silence, maintenance window',
    meaning: 'Suppress notifications of matching alerts, once or on a schedule. Alerts stay visible.',
  },
]
