import { holdsAsList } from '../../testing/listTable'
import { datastoreColumns } from './DatastoresPage'

holdsAsList(datastoreColumns(1))
