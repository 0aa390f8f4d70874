/** A change to anything about alerts: afterwards all of it is read again. */

import { useMutation, useQueryClient } from '@tanstack/react-query'

export function useAlertCommand<Given = void, Answer = unknown>(
  command: (given: Given) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: command,
    onSuccess: async (answer) => {
      await client.invalidateQueries({ queryKey: ['alerts'] })
      onDone?.(answer)
    },
  })
}
