/**
 * The editors of the Console and their libraries, as one script. The build fills it from `assets/console-editor.js`. From
 * sources it is empty: then the Console has its text areas.
 */
export const script: string = ''
