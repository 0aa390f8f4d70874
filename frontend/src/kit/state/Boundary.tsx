import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import * as errorsCopy from '../../copy/errors'
import { Card } from '../layout/Card'
import { EmptyState } from './DataState'

interface BoundaryProps {
  /** What stands there when it works. */
  title: string
  children: ReactNode
}

interface BoundaryState {
  error: Error | null
}

/** One part of a page: when it throws, the rest of the page goes on, and it says what happened and can be tried again. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <Card title={this.props.title}>
        <div role="alert">
          <EmptyState
            title={errorsCopy.sectionFailed}
            text={errorsCopy.sectionFailedText(error.message)}
            action={
              <Button variant="default" size="xs" onClick={() => this.setState({ error: null })}>
                {errorsCopy.showAgain}
              </Button>
            }
          />
        </div>
      </Card>
    )
  }
}
