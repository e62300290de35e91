/** Starts the page. */
import { render } from 'preact';
import { App } from './app';
import { recallSizes } from './state/sizes';
import { followAddress } from './state/store';
import './style/tokens.css';
import './style/page.css';

recallSizes();
followAddress();
const root = document.getElementById('page');
if (root) render(<App />, root);
