import { useLocalStorage } from '@mantine/hooks'

/** The name somebody types for what they do, as there are no accounts; kept in this browser. */
export const useMyName = () =>
  useLocalStorage({ key: 'gavel.my-name', defaultValue: '', getInitialValueInEffect: false })
