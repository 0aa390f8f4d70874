/** Groups of VMs by the value of a label. */

export const table = (label: string) => `VMs by ${label}`
export const groupBy = 'Group by'
export const labelChoice = (name: string, values: string) => `${name} (${values})`
export const noun = 'group'
export const vms = 'VMs'
export const severity = 'Severity'
export const worst = 'Worst VM'
export const without = (label: string) => `without ${label}`
export const severityCount = (count: string, word: string) => `${count} ${word}`
export const noneElevated = 'None elevated'
export const noneDiagnosed = 'No diagnosis'
export const noLabels = 'No labels yet'
export const noLabelsText =
  'Groups come from tags and custom attributes of VMs in vCenter. Add a vCenter under Sources; its labels follow with the inventory.'
export const noGroups = (label: string) => `No VM has the label ${label}`
export const noMatch = 'No matching group'
export const missing = 'No group in this link'
export const missingText = 'A link to a group names a label and its value, such as application=finance.'
export const allGroups = 'All groups'
export const openWall = 'Open wall'
export const empty = (label: string, value: string) => `No VM has ${label} ${value}`
export const emptyText = 'The label was removed or changed in vCenter, or its VMs are gone.'
export const total = 'Total'

export const overTimeSpoken =
  'Outstanding I/O and latency of the group by layer over time; the ranking follows the cursor'
export const overTimeCsv = (label: string, value: string) => `Outstanding I/O by layer of ${label} ${value}`
export const overTimeTable = 'Outstanding I/O and latency over time by layer'
export const vmsThere = 'VMs with a diagnosis'
export const fewerVms = 'Some VMs of the group without a diagnosis'
export const layerNotMeasured = (layer: string) => `${layer} not measured`
export const layerPartly = (layer: string, share: string) => `${layer} measured for ${share} of I/O`
export const rangeTooLong = 'Range too long for this group'
