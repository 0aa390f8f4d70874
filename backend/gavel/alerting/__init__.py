"""From minutes of the ledger to messages. Only `use` knows the store; all else is pure or talks to receivers."""
