/** What objects are called, one record for each kind. `title` and `titles` stand at a beginning, the others within a sentence. */

export const kindNames = {
  datastores: { noun: 'datastore', nouns: 'datastores', title: 'Datastore', titles: 'Datastores' },
  vms: { noun: 'VM', nouns: 'VMs', title: 'VM', titles: 'VMs' },
  hosts: { noun: 'host', nouns: 'hosts', title: 'Host', titles: 'Hosts' },
  volumes: { noun: 'volume', nouns: 'volumes', title: 'Volume', titles: 'Volumes' },
  arrays: { noun: 'array', nouns: 'arrays', title: 'Array', titles: 'Arrays' },
} as const
