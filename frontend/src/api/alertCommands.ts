/** Changes to alerts, rules, silences and channels through the API; each needs the admin's session. */

import { call, client } from './client'
import type { ChannelChange, ChannelIn, ChannelTrial, MaintenanceBody, RuleBody, RulesFile, SilenceIn } from './types'

/** A test message may take its own 30 s, a preview reads days of minutes: the call must outlive them to show what they found. */
const TRIAL_DEADLINE_S = 40
const PREVIEW_DEADLINE_S = 90

const alertAt = (alert_id: number) => ({ params: { path: { alert_id } } })
const ruleAt = (rule_id: number) => ({ params: { path: { rule_id } } })
const silenceAt = (silence_id: number) => ({ params: { path: { silence_id } } })
const windowAt = (window_id: number) => ({ params: { path: { window_id } } })
const channelAt = (channel_id: number) => ({ params: { path: { channel_id } } })

export const acknowledge = (id: number, body: { by: string; note: string }) =>
  call('to acknowledge the alert', (options) =>
    client.POST('/api/v1/alerts/{alert_id}/acknowledge', { ...alertAt(id), body, ...options }),
  )

export const takeBackAcknowledgement = (id: number) =>
  call('to take back the acknowledgement', (options) =>
    client.DELETE('/api/v1/alerts/{alert_id}/acknowledge', { ...alertAt(id), ...options }),
  )

export const addRule = (body: RuleBody) =>
  call('to add the rule', (options) => client.POST('/api/v1/alert-rules', { body, ...options }))

export const changeRule = (id: number, body: RuleBody) =>
  call('to change the rule', (options) =>
    client.PUT('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), body, ...options }),
  )

export const switchRule = (id: number, enabled: boolean) =>
  call(enabled ? 'to switch the rule on' : 'to switch the rule off', (options) =>
    client.PATCH('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), body: { enabled }, ...options }),
  )

export const removeRule = (id: number) =>
  call('to remove the rule', (options) => client.DELETE('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), ...options }))

export const previewRule = (rule: RuleBody) =>
  call(
    'to try the rule',
    (options) => client.POST('/api/v1/alert-rules/preview', { body: { rule, days: 7 }, ...options }),
    {
      deadline_s: PREVIEW_DEADLINE_S,
    },
  )

export const importRules = (body: RulesFile) =>
  call('to import the rules', (options) => client.POST('/api/v1/alert-rules/import', { body, ...options }))

export const addSilence = (body: SilenceIn) =>
  call('to silence', (options) => client.POST('/api/v1/silences', { body, ...options }))

export const endSilence = (id: number, until_at: string) =>
  call('to end the silence', (options) =>
    client.PATCH('/api/v1/silences/{silence_id}', { ...silenceAt(id), body: { until_at }, ...options }),
  )

export const removeSilence = (id: number) =>
  call('to remove the silence', (options) =>
    client.DELETE('/api/v1/silences/{silence_id}', { ...silenceAt(id), ...options }),
  )

export const addMaintenance = (body: MaintenanceBody) =>
  call('to add the maintenance window', (options) => client.POST('/api/v1/maintenance-windows', { body, ...options }))

export const changeMaintenance = (id: number, body: MaintenanceBody) =>
  call('to change the maintenance window', (options) =>
    client.PUT('/api/v1/maintenance-windows/{window_id}', { ...windowAt(id), body, ...options }),
  )

export const removeMaintenance = (id: number) =>
  call('to remove the maintenance window', (options) =>
    client.DELETE('/api/v1/maintenance-windows/{window_id}', { ...windowAt(id), ...options }),
  )

export const addChannel = (body: ChannelIn) =>
  call('to add the channel', (options) => client.POST('/api/v1/channels', { body, ...options }))

export const changeChannel = (id: number, body: ChannelChange) =>
  call('to change the channel', (options) =>
    client.PATCH('/api/v1/channels/{channel_id}', { ...channelAt(id), body, ...options }),
  )

export const removeChannel = (id: number) =>
  call('to remove the channel', (options) =>
    client.DELETE('/api/v1/channels/{channel_id}', { ...channelAt(id), ...options }),
  )

export const tryChannel = (body: ChannelTrial) =>
  call('to test the channel', (options) => client.POST('/api/v1/channels/test', { body, ...options }), {
    deadline_s: TRIAL_DEADLINE_S,
  })

export const tryStoredChannel = (id: number) =>
  call(
    'to test the channel',
    (options) => client.POST('/api/v1/channels/{channel_id}/test', { ...channelAt(id), ...options }),
    { deadline_s: TRIAL_DEADLINE_S },
  )

export const replayChannel = (id: number) =>
  call('to send again what was not delivered', (options) =>
    client.POST('/api/v1/channels/{channel_id}/replay', { ...channelAt(id), ...options }),
  )

export const replayNotification = (notification_id: number) =>
  call('to send the message again', (options) =>
    client.POST('/api/v1/notifications/{notification_id}/replay', {
      params: { path: { notification_id } },
      ...options,
    }),
  )
