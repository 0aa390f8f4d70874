/** Tables of the tab Path, whose code comes when the tab is opened. */

import { type ComponentProps, type ComponentType, lazy } from 'react'
import type { DevicesTable as Devices } from '../lists/DevicesTable'
import type { VolumesTable as Volumes } from '../lists/VolumesTable'

export const DevicesTable: ComponentType<ComponentProps<typeof Devices>> = lazy(async () => ({
  default: (await import('../lists/DevicesTable')).DevicesTable,
}))

export const VolumesTable: ComponentType<ComponentProps<typeof Volumes>> = lazy(async () => ({
  default: (await import('../lists/VolumesTable')).VolumesTable,
}))
