/** Which labels mean an owner and an application. */

export const title = 'Owner and application'
export const hint = 'by tag category or custom attribute'
export const FIELDS = { owner: 'Owner label', application: 'Application label' } as const
export const choice = (name: string, objects: string) => `${name} (${objects})`
export const unused = (name: string) => `${name} (no object)`
export const objects = 'object'
export const preview = (withValue: string, all: string) => `${withValue} of ${all} VMs have a value`
export const values = (values: string, more: number) => (more === 0 ? values : `${values} and ${more} more`)
export const value = (name: string, count: string) => `${name} (${count})`
export const noValues = 'No values'
export const save = 'Save'
export const saved = 'Saved'
export const saveFailed = 'Labels not saved'
export const empty = 'No labels yet'
export const emptyText =
  'Labels are custom attributes and tags of a vCenter and tags of an array. They are collected with the inventory.'
export const readOnly = 'Sign in to change the labels.'
