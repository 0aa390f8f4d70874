/** Changes to alerts, rules, silences and channels through the API; each needs the admin's session. */

import * as requestsCopy from '../copy/requests'
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
  call(requestsCopy.acknowledgeAlert, (options) =>
    client.POST('/api/v1/alerts/{alert_id}/acknowledge', { ...alertAt(id), body, ...options }),
  )

export const takeBackAcknowledgement = (id: number) =>
  call(requestsCopy.unacknowledgeAlert, (options) =>
    client.DELETE('/api/v1/alerts/{alert_id}/acknowledge', { ...alertAt(id), ...options }),
  )

export const addRule = (body: RuleBody) =>
  call(requestsCopy.addRule, (options) => client.POST('/api/v1/alert-rules', { body, ...options }))

export const changeRule = (id: number, body: RuleBody) =>
  call(requestsCopy.editRule, (options) =>
    client.PUT('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), body, ...options }),
  )

export const switchRule = (id: number, enabled: boolean) =>
  call(enabled ? requestsCopy.enableRule : requestsCopy.disableRule, (options) =>
    client.PATCH('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), body: { enabled }, ...options }),
  )

export const removeRule = (id: number) =>
  call(requestsCopy.removeRule, (options) =>
    client.DELETE('/api/v1/alert-rules/{rule_id}', { ...ruleAt(id), ...options }),
  )

export const previewRule = (rule: RuleBody) =>
  call(
    requestsCopy.previewRule,
    (options) => client.POST('/api/v1/alert-rules/preview', { body: { rule, days: 7 }, ...options }),
    {
      deadline_s: PREVIEW_DEADLINE_S,
    },
  )

export const importRules = (body: RulesFile) =>
  call(requestsCopy.importRules, (options) => client.POST('/api/v1/alert-rules/import', { body, ...options }))

export const addSilence = (body: SilenceIn) =>
  call(requestsCopy.addSilence, (options) => client.POST('/api/v1/silences', { body, ...options }))

export const endSilence = (id: number, until_at: string) =>
  call(requestsCopy.endSilence, (options) =>
    client.PATCH('/api/v1/silences/{silence_id}', { ...silenceAt(id), body: { until_at }, ...options }),
  )

export const removeSilence = (id: number) =>
  call(requestsCopy.removeSilence, (options) =>
    client.DELETE('/api/v1/silences/{silence_id}', { ...silenceAt(id), ...options }),
  )

export const addMaintenance = (body: MaintenanceBody) =>
  call(requestsCopy.addMaintenance, (options) => client.POST('/api/v1/maintenance-windows', { body, ...options }))

export const changeMaintenance = (id: number, body: MaintenanceBody) =>
  call(requestsCopy.editMaintenance, (options) =>
    client.PUT('/api/v1/maintenance-windows/{window_id}', { ...windowAt(id), body, ...options }),
  )

export const removeMaintenance = (id: number) =>
  call(requestsCopy.removeMaintenance, (options) =>
    client.DELETE('/api/v1/maintenance-windows/{window_id}', { ...windowAt(id), ...options }),
  )

export const addChannel = (body: ChannelIn) =>
  call(requestsCopy.addChannel, (options) => client.POST('/api/v1/channels', { body, ...options }))

export const changeChannel = (id: number, body: ChannelChange) =>
  call(requestsCopy.editChannel, (options) =>
    client.PATCH('/api/v1/channels/{channel_id}', { ...channelAt(id), body, ...options }),
  )

export const removeChannel = (id: number) =>
  call(requestsCopy.removeChannel, (options) =>
    client.DELETE('/api/v1/channels/{channel_id}', { ...channelAt(id), ...options }),
  )

export const tryChannel = (body: ChannelTrial) =>
  call(requestsCopy.testChannel, (options) => client.POST('/api/v1/channels/test', { body, ...options }), {
    deadline_s: TRIAL_DEADLINE_S,
  })

export const tryStoredChannel = (id: number) =>
  call(
    requestsCopy.testChannel,
    (options) => client.POST('/api/v1/channels/{channel_id}/test', { ...channelAt(id), ...options }),
    { deadline_s: TRIAL_DEADLINE_S },
  )

export const replayChannel = (id: number) =>
  call(requestsCopy.resendFailed, (options) =>
    client.POST('/api/v1/channels/{channel_id}/replay', { ...channelAt(id), ...options }),
  )

export const replayNotification = (notification_id: number) =>
  call(requestsCopy.resendNotification, (options) =>
    client.POST('/api/v1/notifications/{notification_id}/replay', {
      params: { path: { notification_id } },
      ...options,
    }),
  )
