import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { alertsNowQuery } from '../api/alerts'
import { firingOf } from '../components/alerts/standing'
import styles from './Layout.module.css'

/** How many alerts fire now. Nothing is claimed while that is not known. */
export function FiringCount() {
  const { data } = useQuery(alertsNowQuery())
  const firing = firingOf(data?.alerts ?? []).length
  if (firing === 0) return null
  return (
    <span className={`${styles.count} numeric`}>
      {firing.toLocaleString('en-US')}
      <VisuallyHidden> firing</VisuallyHidden>
    </span>
  )
}
