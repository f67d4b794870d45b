/**
 * React Aria adds a `<style>` element, which the Content-Security-Policy refuses, unless an element has its id.
 * Its rule stands in styles/pickers.css.
 */
const STYLE_ID = 'react-aria-pressable-style';
const mark = document.createElement('meta');
mark.id = STYLE_ID;
document.head.append(mark);
