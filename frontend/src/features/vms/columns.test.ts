import { holdsAsList } from '../../testing/listTable'
import { vmColumns } from './VmsPage'

holdsAsList(vmColumns(1))
