import { holdsAsList } from '../../testing/listTable'
import { arrayColumns } from './ArraysPage'

holdsAsList(arrayColumns(1))
