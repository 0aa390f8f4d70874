/** The terms of the pages, with their meaning; the filter looks at both. */

import { TextInput } from '@mantine/core'
import { useState } from 'react'
import * as helpCopy from '../copy/help'
import { GLOSSARY, type Term } from '../copy/help'
import styles from './Help.module.css'

const matches = ({ term, meaning }: Term, text: string) => `${term} ${meaning}`.toLowerCase().includes(text)

export function Glossary() {
  const [filter, setFilter] = useState('')
  const shown = GLOSSARY.filter((one) => matches(one, filter.trim().toLowerCase()))
  return (
    <section aria-labelledby="glossary-heading">
      <h3 className={styles.heading} id="glossary-heading">
        {helpCopy.glossary}
      </h3>
      <TextInput
        aria-label={helpCopy.filterGlossary}
        placeholder={helpCopy.filterGlossary}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        mb="sm"
      />
      {shown.length === 0 && <p className={styles.text}>{helpCopy.noTerm}</p>}
      <dl className="grid gap-8" style={{ maxWidth: '75ch' }}>
        {shown.map(({ term, meaning }) => (
          <div key={term}>
            <dt className="semibold">{term}</dt>
            <dd className="muted">{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
