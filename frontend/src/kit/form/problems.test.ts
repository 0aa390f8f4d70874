import { expect, it } from 'vitest'
import { ApiError } from '../../lib/errors'
import { serverProblems, settingProblemsOf } from './problems'

it('puts what the server found wrong at the fields it named', () => {
  const error = new ApiError('to add the source', 'Three settings cannot be used.', 422, [
    { field: 'settings.address', message: 'is not a host name' },
    { field: 'name', message: 'is taken' },
    { field: 'body.route.min_severity', message: 'is none' },
  ])
  const problems = serverProblems(error)
  expect(problems.get('name')).toBe('is taken')
  expect(problems.get('route.min_severity')).toBe('is none')
  expect([...settingProblemsOf(problems)]).toEqual([['address', 'is not a host name']])
  expect(serverProblems(new Error('offline')).size).toBe(0)
})
