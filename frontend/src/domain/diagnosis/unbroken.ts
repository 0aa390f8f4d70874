/** Sentences of the API with their numbers kept whole at the end of a line. */

const NUMBER_SPACE = /(?<=\d|<) (?=\d|(?:ms|µs|s|min|%|I\/Os?|IOPS|UTC)(?![\p{L}\d]))/gu

/** "0.44 of 0.93 ms" with a space between number and unit that no line breaks at. */
export const unbroken = (sentence: string) => sentence.replace(NUMBER_SPACE, '\u00a0')
