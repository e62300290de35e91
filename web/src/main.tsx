/** Starts the page. */
import { render } from 'preact';
import { App } from './app';
import { followAddress } from './state/store';
import './style/tokens.css';
import './style/page.css';

followAddress();
const root = document.getElementById('page');
if (root) render(<App />, root);
