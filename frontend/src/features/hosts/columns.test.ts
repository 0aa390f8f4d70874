import { holdsAsList } from '../../testing/listTable'
import { hostColumns } from './HostsPage'

holdsAsList(hostColumns(1))
