/** Labels of objects, and which of them mean an owner and an application. */

import { queryOptions } from '@tanstack/react-query'
import * as requestsCopy from '../copy/requests'
import { call, client } from './client'
import type { LabelMeanings } from './types'

export const labelsQuery = () =>
  queryOptions({
    queryKey: ['labels'] as const,
    queryFn: ({ signal }) => call(requestsCopy.labels, (options) => client.GET('/api/v1/labels', options), { signal }),
  })

export const meaningsQuery = () =>
  queryOptions({
    queryKey: ['labels', 'meanings'] as const,
    queryFn: ({ signal }) =>
      call(requestsCopy.labelMeanings, (options) => client.GET('/api/v1/labels/meanings', options), { signal }),
  })

const MOST_VALUES = 100

export const labelValuesQuery = (name: string) =>
  queryOptions({
    queryKey: ['labels', 'values', name] as const,
    queryFn: ({ signal }) =>
      call(
        requestsCopy.labelValues,
        (options) =>
          client.GET('/api/v1/labels/values', { params: { query: { name, limit: MOST_VALUES } }, ...options }),
        { signal },
      ),
  })

/** How many VMs there are; `label`: that have a label of this name. */
export const vmCountQuery = (label: string | null) =>
  queryOptions({
    queryKey: ['labels', 'vms', label] as const,
    queryFn: ({ signal }) => {
      const query = { limit: 1, ...(label === null ? {} : { label: [`${label}=`] }) }
      return call(
        requestsCopy.labelValues,
        async (options) => client.GET('/api/v1/vms', { params: { query }, ...options }),
        { signal },
      ).then(({ total }) => total)
    },
  })

export const setMeanings = (body: LabelMeanings) =>
  call(requestsCopy.setMeanings, (options) => client.PUT('/api/v1/labels/meanings', { body, ...options }))
