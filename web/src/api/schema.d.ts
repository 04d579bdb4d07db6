// Generated from the OpenAPI document of the service by `make web-types`. Do not edit.

import type { Json, JsonObject } from "./json";
export interface paths {
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Agents
         * @description All agents, each with its requirements and its model. No agent is loaded.
         */
        get: operations["list_agents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Agent
         * @description An agent, with the id, the hash and the nodes of its flow.
         */
        get: operations["read_agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Flows
         * @description The flows of the served agents, with their drafts and active versions.
         */
        get: operations["list_flows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Flow Schema
         * @description The JSON Schema of a flow document.
         */
        get: operations["read_flow_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/palette": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Palette
         * @description The actions, validators and conversations of an agent. Code is never edited here.
         */
        get: operations["read_palette"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Draft
         * @description The draft of an agent's flow; without one, the active document with revision 0. `ETag` is the revision.
         */
        get: operations["read_draft"];
        /**
         * Save Draft
         * @description Save a draft that was made from the revision in `If-Match`. 412 `draft_changed` if this is not the latest one.
         */
        put: operations["save_draft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check Draft
         * @description All findings of the compiler in a document, with the actions of the agent's Python, which is not run.
         */
        post: operations["check_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test Draft
         * @description Run the scripted conversations of an agent on a document. Closing the connection stops them.
         */
        post: operations["test_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview Draft
         * @description The difference by meaning from the active flow, and the outcome of publishing for each waiting conversation.
         */
        post: operations["preview_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish Draft
         * @description Publish the draft. From then on it is the agent's flow.
         *
         *     409 `content_changed` if the draft is not the document with this hash, 412 `draft_changed` if it has another
         *     revision.
         */
        post: operations["publish_draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Versions
         * @description The published versions of an agent's flow, the newest first. The newest is active.
         */
        get: operations["list_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/versions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Version
         * @description A published version with its text.
         */
        get: operations["read_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Flow
         * @description The text of an agent's flow, and its nodes and edges with their positions, for an editor.
         *
         *     If the flow has layers, the text is the document that they make.
         */
        get: operations["read_flow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{agent}/drawing.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw Agent
         * @description The flow of an agent as a picture.
         */
        get: operations["draw_agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/drawing.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw Thread
         * @description The flow version of a thread as a picture, even if the flow of its agent has changed since.
         *
         *     If the store does not have that version, the agent's current flow is drawn.
         */
        get: operations["draw_thread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check Flow
         * @description All findings of the compiler in a flow document. Names of actions are not checked, since code is not accepted.
         */
        post: operations["check_flow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/draw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Draw Flow
         * @description A flow document as a picture.
         */
        post: operations["draw_flow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Threads
         * @description Threads, the most recently updated first. `q` is searched in titles and messages.
         *
         *     A thread is `running` while a turn is in progress, and `cut_short` if its last turn was interrupted: the next turn
         *     finishes it.
         */
        get: operations["list_threads"];
        put?: never;
        /**
         * Create Thread
         * @description Create a thread, which waits for its first turn.
         */
        post: operations["create_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Thread
         * @description A thread, and its last run.
         */
        get: operations["read_thread"];
        put?: never;
        post?: never;
        /**
         * Delete Thread
         * @description Delete a thread with all its contents. A running turn is cancelled. Records that agents store elsewhere stay.
         */
        delete: operations["delete_thread"];
        options?: never;
        head?: never;
        /**
         * Rename Thread
         * @description Rename a thread.
         */
        patch: operations["rename_thread"];
        trace?: never;
    };
    "/api/v1/threads/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Messages
         * @description Messages, oldest first: the last ones, or those before number `before`. `next` continues with older messages.
         */
        get: operations["read_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read State
         * @description The state of a thread, now or after event `at`: what it waits for, answers and channels.
         *
         *     `waiting_for.approval` is what a yes would approve. Send its `hash` with the yes; its `marks` show the values that
         *     the user did not give.
         */
        get: operations["read_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Branch Thread
         * @description Create a thread that continues from an earlier point of this one. This one does not change.
         */
        post: operations["branch_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export Thread
         * @description A thread as a file: all messages as Markdown, or messages and trace as JSON.
         */
        get: operations["export_thread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Turns
         * @description The last turns before turn `before`, the newest first: their messages, whether they failed, and their usage.
         *
         *     `cost` is null if a model that answered has no price. `next` is the `before` of the next page.
         */
        get: operations["read_turns"];
        put?: never;
        /**
         * Send Turn
         * @description Begin a turn. It continues if the listener disconnects. A thread has one turn at a time; otherwise 409
         *     `thread_busy`.
         *
         *     The same Idempotency-Key with the same request returns the existing run.
         */
        post: operations["send_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume
         * @description Answer the pending question. 409 `nothing_waits`, `approval_missing`, `approval_changed`.
         */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Run
         * @description A run: its status, and its turn when it has ended.
         */
        get: operations["read_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch Run
         * @description The events of a run after `Last-Event-ID` (or `after`), to its end.
         */
        get: operations["watch_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel Run
         * @description Cancel a run. Committed changes stay; an action in progress is not undone.
         */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Trace
         * @description Events from number `since` on, each `{seq, visit, time, event}`; with `turn` only those of that turn.
         *
         *     Calls of a model with a configured price have a `cost`. `next` is the `since` of the next page.
         */
        get: operations["read_trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload File
         * @description Upload a file. Send its `id` with a message. Its type is determined from the content, not from the name.
         */
        post: operations["upload_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete File
         * @description Delete an upload. Threads that received it have their own copies.
         */
        delete: operations["delete_file"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Files
         * @description The files that a thread received.
         */
        get: operations["list_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Artifacts
         * @description The files that actions of a thread created, in order. `bytes` is null if the file no longer exists.
         */
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/artifacts/{artifact}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Artifact
         * @description The content of an artifact. Types that could run scripts are sent sandboxed, as a download.
         */
        get: operations["read_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/threads/{id}/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Datasets
         * @description The data sets in the files of a thread, each with the profile of its columns and its first rows.
         *
         *     A file without a data set is listed with the reason.
         */
        get: operations["list_datasets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Logs
         * @description Interactions, the latest first. Every word of `q` must occur; times are ISO 8601 in UTC. `yours`: the thread
         *     exists and you can open it; the log keeps the turns of deleted threads.
         */
        get: operations["logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Me
         * @description The user of the request, the role, and whether this service has a login.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Keys
         * @description All API keys, without their secrets.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create Key
         * @description Create an API key. `key` is only in this response.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Key
         * @description Revoke an API key, immediately and permanently. It stays in the list.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit
         * @description Approvals and their outcomes, the latest first. `yours`: the thread exists and you can open it.
         */
        get: operations["audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/{collection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Records
         * @description The records of a collection, the oldest first. The action `hand_over` keeps its summaries in `hand_over`.
         */
        get: operations["list_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/panes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Panes
         * @description The panes of the web app that the user may open, in their order.
         */
        get: operations["list_panes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Experiments
         * @description The experiments that were changed last, the total number, and the server.
         */
        get: operations["experiments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/experiments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Experiment
         * @description An experiment: its settings, the members of its lists, and the number of enrolled users in each condition.
         */
        get: operations["experiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Graph
         * @description Labels and types with counts, and some nodes, with `label` or similar to `q`, and the edges between them.
         */
        get: operations["graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/nodes/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Around
         * @description The node of this label with the key `node`, and its neighbourhood.
         */
        get: operations["around"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Journal
         * @description The changes of the graph, the newest first. Only admins see the texts of other users.
         */
        get: operations["journal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal/{goal}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Journal Entry
         * @description One entry of the journal with every change of it.
         */
        get: operations["journal_entry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/journal/{goal}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo
         * @description Show what undoing a goal would change, or undo it. Goals of other users require the role admin.
         */
        post: operations["undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agui/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run Agent
         * @description Run one turn: the last message of the user, or `resume` with the answer to the pending interrupt.
         *
         *     A confirmation can only be approved through `resume`: the id of the interrupt identifies what was shown.
         */
        post: operations["run_agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models
         * @description All agents, as models.
         */
        get: operations["models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Model
         * @description An agent, as a model.
         */
        get: operations["model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete
         * @description Run one turn. Its thread is `metadata.thread`, else the thread of the same conversation.
         */
        post: operations["complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alive
         * @description The process is alive.
         */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready
         * @description The store is ready, too; otherwise a problem says why not.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics
         * @description Metrics for Prometheus.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An action that a node may run, and what it declares. */
        ActionRead: {
            name: string;
            reads: string[];
            writes: string[];
            effects: boolean;
        };
        /**
         * @description Structured progress that is not conversation content, materialised as a
         *     message so it keeps its place in the sequence. Stands alone rather than
         *     composing BaseMessage, because its content is an object rather than a
         *     string.
         */
        ActivityMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "activity";
            activityType: string;
            content: JsonObject;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An agent: its description, its requirements, and whether it is ready. */
        Agent: {
            name: string;
            /** @description The distribution that contains it; empty if none does. */
            package: string;
            title: string;
            /** @description What it does and what it does not, as its flow says. */
            description: string;
            nodes: number;
            /** @description The keys of the answers that it may ask for. */
            questions: string[];
            actions: string[];
            takes_files: boolean;
            /** @description `model`, `mcp` (MCP servers), and resources that packages declare, such as `graph`. */
            needs: string[];
            /** @description How well the model in use does with it, if that was measured. */
            measured: string;
            /** @description The numbers of `measured`. */
            score: components["schemas"]["Score"] | null;
            ready: boolean;
            /** @description Why it is not ready; empty if it is. */
            problem: string;
            /** @description The single causes in `problem`, with codes for other texts. */
            problems: components["schemas"]["NotReady"][];
            /** @description The model that answers. */
            model: string;
        };
        /** @description An agent, with its flow. */
        AgentWithFlow: {
            name: string;
            /** @description The distribution that contains it; empty if none does. */
            package: string;
            title: string;
            /** @description What it does and what it does not, as its flow says. */
            description: string;
            nodes: number;
            /** @description The keys of the answers that it may ask for. */
            questions: string[];
            actions: string[];
            takes_files: boolean;
            /** @description `model`, `mcp` (MCP servers), and resources that packages declare, such as `graph`. */
            needs: string[];
            /** @description How well the model in use does with it, if that was measured. */
            measured: string;
            /** @description The numbers of `measured`. */
            score: components["schemas"]["Score"] | null;
            ready: boolean;
            /** @description Why it is not ready; empty if it is. */
            problem: string;
            /** @description The single causes in `problem`, with codes for other texts. */
            problems: components["schemas"]["NotReady"][];
            /** @description The model that answers. */
            model: string;
            flow_id: string;
            flow_hash: string;
            flow_nodes: components["schemas"]["FlowNode"][];
        };
        /** @description The action that a yes would approve. Send `hash` with the yes as `approves`. */
        ApprovalAsked: {
            hash: string;
            node: string;
            /** @description The actions that a yes allows. */
            actions: string[];
            /** @description The channels and answers that a yes approves, with their values. */
            over: JsonObject;
            /** @enum {string} */
            kind: "graph" | "experiment" | "tools" | "other";
            /** @description If the package of the agent describes it: Markdown, shown in place of the prompt. */
            text?: string;
            /** @description The source of each argument in `over`, by its dotted path. */
            marks: {
                [key: string]: "said" | "default" | "shown" | "exists" | "unsupported";
            };
        };
        /** @description A node and its neighbourhood. */
        Around: {
            nodes: components["schemas"]["GraphNode"][];
            edges: components["schemas"]["GraphEdge"][];
            /** @description There is more than was requested. */
            truncated: boolean;
            node: components["schemas"]["GraphNode"];
        };
        /** @description A file that an action created, in its current state. */
        Artifact: {
            id: string;
            kind: string;
            name: string;
            /** @description Null if the file no longer exists. */
            bytes: number | null;
            turn: number;
            /** @description The number of its event. */
            seq: number;
        };
        /** @description A file that an action created; its content is at /threads/{thread}/artifacts/{id}. */
        ArtifactMade: {
            id: string;
            kind: string;
            name: string;
        };
        /**
         * @description A message from the agent. Content is optional because a turn may consist
         *     only of tool calls.
         */
        AssistantMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "assistant";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content?: string | null;
            toolCalls?: components["schemas"]["ToolCall"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An audio part. */
        AudioPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "audio";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A decision about an action that needs approval, its outcome, or a key that was created or revoked. */
        Audited: {
            number: number;
            time: string;
            user: string;
            /** @description The id of the API key of the request. */
            key: string;
            /** @enum {string} */
            door: "api" | "agui" | "openai" | "mcp" | "cli";
            /** @enum {string} */
            event: "approved" | "rejected" | "changed" | "performed" | "failed" | "unknown" | "key_made" | "key_revoked" | "published" | "migrated" | "migration_undone";
            agent: string;
            thread: string;
            run: string;
            node: string;
            action: string;
            /** @description The hash of the approved content; or the id of the key. */
            content: string;
            /** @description The thread exists, and the user of the request may open it. */
            yours: boolean;
        };
        Body_upload_file: {
            file: string;
        };
        /** @description The included and the excluded members. */
        BothSides: {
            include: components["schemas"]["Members"];
            exclude: components["schemas"]["Members"];
        };
        /**
         * @description The point of the branch: after event `at`, with changed answers by their dotted keys.
         * @example {
         *       "answers": {
         *         "venue": "home"
         *       },
         *       "at": 12
         *     }
         */
        BranchAt: {
            at: number;
            answers?: JsonObject;
        };
        /**
         * @description A conversation that continues from a point of another one.
         * @example {
         *       "agent": "intake",
         *       "created": "2026-11-29T09:00:00.000000Z",
         *       "status": "waiting",
         *       "thread": "5f2c8d0a91be",
         *       "turns": 1,
         *       "updated": "2026-11-29T09:00:02.500000Z",
         *       "waiting_for": {
         *         "key": "venue",
         *         "kind": "choice",
         *         "node": "q.venue",
         *         "options": [
         *           {
         *             "value": "home"
         *           }
         *         ],
         *         "prompt": "Where will it be used?"
         *       }
         *     }
         */
        Branched: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            /** @description The id of the other one. */
            source: string;
            /** @description The number of the event of the other one after which this one continues. */
            at: number;
        };
        /** @description A line of a difference by meaning. */
        ChangeLine: {
            /** @enum {string} */
            kind: "heading" | "added" | "removed" | "changed" | "detail";
            text: string;
        };
        /** @description The number of created, updated and deleted nodes and edges. */
        Changes: {
            created: number;
            updated: number;
            deleted: number;
        };
        /** @description One message of the conversation. Only text is supported. */
        ChatMessage: {
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
            content?: string | JsonObject[] | null;
        };
        /** @description All findings; `ok` is true if none is an error. */
        Checked: {
            ok: boolean;
            diagnostics: components["schemas"]["Diagnostic"][];
        };
        /** @description An option: the value to send, and its title. */
        Choice: {
            value: Json;
            title: string;
        };
        /**
         * @description The request. Other fields of the protocol (temperature, tools, ...) are ignored: the agent chooses them.
         * @example {
         *       "messages": [
         *         {
         *           "content": "I need lights",
         *           "role": "user"
         *         }
         *       ],
         *       "model": "intake"
         *     }
         */
        Completion: {
            model: string;
            messages: components["schemas"]["ChatMessage"][];
            /** @default false */
            stream?: boolean;
            stream_options?: JsonObject | null;
            user?: string | null;
            metadata?: JsonObject | null;
        };
        /** @description The number of users and groups in a condition. */
        ConditionCounts: {
            code: string;
            weight: number;
            users: number;
            groups: number;
        };
        /**
         * @description A named piece of ambient information given to the agent for the run,
         *     distinct from the conversation.
         */
        Context: {
            description: string;
            value: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A column of a data set, with its profile. */
        DataColumn: {
            name: string;
            /** @enum {string} */
            type: "integer" | "number" | "text" | "boolean" | "date" | "datetime" | "binary";
            missing: number;
            /** @description The number of different values; null if they were not counted. */
            distinct: number | null;
            low: string | number | boolean | null;
            high: string | number | boolean | null;
            mean: number | null;
            median: number | null;
            /** @description The most frequent values with their counts. */
            top: [
                string | number | boolean | null,
                number
            ][];
        };
        /** @description A note for the user on how a file was read. */
        DataNote: {
            code: string;
            /** @description In English. */
            text: string;
            /** @description Numbers and names in it. */
            facts: JsonObject;
        };
        /** @description A table in a file. */
        DataSet: {
            id: string;
            name: string;
            file: string;
            rows: number;
            notes: components["schemas"]["DataNote"][];
            columns: components["schemas"]["DataColumn"][];
            /** @description Its first rows. */
            head: {
                [key: string]: string | number | boolean | null;
            }[];
        };
        /** @description The data sets in the files of a thread. */
        DataSets: {
            items: (components["schemas"]["DataSet"] | components["schemas"]["NoDataSet"])[];
            next: null;
        };
        /** @description Bytes carried inline. */
        DataSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "data";
            value: string;
            mimeType: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The place in an app that requests a condition. */
        DecisionPoint: {
            site: string;
            target: string;
            exclude_if_reached: boolean;
        };
        /** @description Instructions from the application developer. */
        DeveloperMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "developer";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A finding of the compiler. */
        Diagnostic: {
            code: string;
            severity: components["schemas"]["Severity"];
            message: string;
            file: string;
            line: number;
            column: number;
            /** @description Where it is, as a JSON Pointer into the document. */
            pointer: string;
            hint: string;
        };
        /** @description A document part. */
        DocumentPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "document";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The findings of the compiler in a draft. `hash` is that of the document; empty if there is an error. */
        DraftChecked: {
            ok: boolean;
            hash: string;
            diagnostics: components["schemas"]["Finding"][];
            names: components["schemas"]["Name"][];
        };
        /** @description The text of a draft. Without a draft it is the active document, with revision 0. */
        DraftText: {
            agent: string;
            flow: string;
            text: string;
            /** @description The revision to send in If-Match. */
            revision: number;
            author: string;
            updated: string;
            /** @description The text of the active document. */
            active: string;
            /** @description The text of the folder's file. */
            file: string;
            /** @description The number of the active version; 0 if the folder's file is active. */
            version: number;
        };
        /** @description A flow for a visual editor. */
        Drawn: {
            version: string;
            id: string;
            title: string;
            entry: string;
            nodes: components["schemas"]["DrawnNode"][];
            edges: components["schemas"]["DrawnEdge"][];
        };
        /** @description An edge in the format of React Flow. */
        DrawnEdge: {
            id: string;
            source: string;
            target: string;
            label: string;
            data: components["schemas"]["DrawnEdgeData"];
        };
        /** @description The properties of an edge in the document. */
        DrawnEdgeData: {
            guard: string | null;
            priority: number;
            tags: string[];
        };
        /** @description A node in the format of React Flow. */
        DrawnNode: {
            id: string;
            /** @description Its kind; `group` contains the nodes of a subgraph, and `exit` is the end of a subgraph. */
            type: components["schemas"]["Kind"] | ("group" | "exit");
            /** @description Relative to the group around it. */
            position: components["schemas"]["Place"];
            /** @description The fields of the document, and `label`; in a group `graph`, its id. */
            data: JsonObject;
            /** @description The group around it, if there is one. */
            parentId?: string;
            /** @description Of a group. */
            width?: number;
            /** @description Of a group. */
            height?: number;
        };
        /**
         * @description The text of a flow document. It need not compile.
         * @example {
         *       "text": "version: v1\nid: flow.shop\n"
         *     }
         */
        Edited: {
            text: string;
        };
        /** @description The number of enrolled and excluded users and groups. */
        Enrollment: {
            users: number;
            excluded_users: number;
            /** @description If groups are assigned. */
            groups?: number;
            /** @description If groups are assigned. */
            excluded_groups?: number;
            conditions: components["schemas"]["ConditionCounts"][];
            /** @description If a condition has a weight above 0. */
            split?: components["schemas"]["Split"];
        };
        /** @description The number of users or groups after which the experiment is complete. */
        EnrollmentGoal: {
            users: number | null;
            groups: number | null;
        };
        /** @description An entry of the journal: a request and its changes. */
        Entry: {
            /** @description Its id. */
            goal: string;
            /** @description Empty if it belongs to another user, like `thread`. */
            text: string;
            thread: string;
            /** @enum {string} */
            status: "open" | "done" | "partial" | "refused" | "failed" | "expired" | "undone";
            began: string;
            finished: string | null;
            /** @description The id of the entry that this one undid. */
            undoes: string | null;
            undone_by: string | null;
            /** @description It changed something, and the user of the request may undo it. */
            undoable: boolean;
            changes: components["schemas"]["Changes"];
        };
        /** @description An entry of the journal with every change of it. */
        EntryWithSteps: {
            /** @description Its id. */
            goal: string;
            /** @description Empty if it belongs to another user, like `thread`. */
            text: string;
            thread: string;
            /** @enum {string} */
            status: "open" | "done" | "partial" | "refused" | "failed" | "expired" | "undone";
            began: string;
            finished: string | null;
            /** @description The id of the entry that this one undid. */
            undoes: string | null;
            undone_by: string | null;
            /** @description It changed something, and the user of the request may undo it. */
            undoable: boolean;
            changes: components["schemas"]["Changes"];
            steps: components["schemas"]["GraphStep"][];
        };
        /** @description An event of a conversation. Pass over types that you do not know. */
        Event: components["schemas"]["NodeEnteredEvent"] | components["schemas"]["QuestionPassedEvent"] | components["schemas"]["GuardCheckedEvent"] | components["schemas"]["EdgeTakenEvent"] | components["schemas"]["SubgraphEnteredEvent"] | components["schemas"]["SubgraphLeftEvent"] | components["schemas"]["AnswerDroppedEvent"] | components["schemas"]["QuestionsReopenedEvent"] | components["schemas"]["ChannelsStaleEvent"] | components["schemas"]["ConstraintUnmetEvent"] | components["schemas"]["JumpedEvent"] | components["schemas"]["PathVotedEvent"] | components["schemas"]["PathSwitchedEvent"] | components["schemas"]["PathLockedEvent"] | components["schemas"]["PathCorrectedEvent"] | components["schemas"]["PathRefusedEvent"] | components["schemas"]["TurnStartedEvent"] | components["schemas"]["HandedOverEvent"] | components["schemas"]["FileGivenEvent"] | components["schemas"]["TurnResumedEvent"] | components["schemas"]["ModelCalledEvent"] | components["schemas"]["AnswerCommittedEvent"] | components["schemas"]["AnswerRefusedEvent"] | components["schemas"]["AnswerUnknownEvent"] | components["schemas"]["AnswersClearedEvent"] | components["schemas"]["ChannelsResetEvent"] | components["schemas"]["StateAdaptedEvent"] | components["schemas"]["FlowMigratedEvent"] | components["schemas"]["NotUnderstoodEvent"] | components["schemas"]["EscalatedEvent"] | components["schemas"]["SaidEvent"] | components["schemas"]["SayingEvent"] | components["schemas"]["PromptedEvent"] | components["schemas"]["ConfirmationGivenEvent"] | components["schemas"]["ConfirmationMissingEvent"] | components["schemas"]["ActionStartedEvent"] | components["schemas"]["ActionFinishedEvent"] | components["schemas"]["ActionFailedEvent"] | components["schemas"]["OutcomeUnknownEvent"] | components["schemas"]["OutcomeDecidedEvent"] | components["schemas"]["ToolCalledEvent"] | components["schemas"]["ChannelsWrittenEvent"] | components["schemas"]["ArtifactMadeEvent"] | components["schemas"]["InteractionNotedEvent"] | components["schemas"]["TurnFailedEvent"] | components["schemas"]["ShadowComparedEvent"] | components["schemas"]["BranchedEvent"] | components["schemas"]["LanguageReadEvent"] | components["schemas"]["ChannelsComputedEvent"] | components["schemas"]["MovedEvent"];
        /** @description An experiment. */
        Experiment: {
            experiment_id: string;
            name: string;
            description: string;
            context: string;
            /** @enum {string} */
            state: "inactive" | "scheduled" | "preview" | "enrolling" | "enrollmentComplete" | "cancelled" | "archived" | "draft";
            /** @description The unit of assignment: `individual` or `group`. */
            unit: string;
            /** @description The type of groups; empty if no group is assigned. */
            group: string;
            consistency: string;
            post_rule: string;
            /** @description The condition that everyone gets after the end; null for the default. */
            revert_to: string | null;
            filter_mode: string;
            tags: string[];
            conditions: components["schemas"]["ExperimentCondition"][];
            decision_points: components["schemas"]["DecisionPoint"][];
            include: components["schemas"]["ListCounts"];
            exclude: components["schemas"]["ListCounts"];
            goal: components["schemas"]["EnrollmentGoal"] | null;
            members: components["schemas"]["BothSides"];
            /** @description If enrolment has begun. */
            enrollment?: components["schemas"]["Enrollment"];
        };
        /** @description A condition, with its weight in per cent. */
        ExperimentCondition: {
            code: string;
            weight: number;
        };
        /** @description An experiment of the list. */
        ExperimentRow: {
            id: string;
            name: string;
            context: string;
            /** @enum {string} */
            state: "inactive" | "scheduled" | "preview" | "enrolling" | "enrollmentComplete" | "cancelled" | "archived" | "draft";
        };
        /** @description The experiments that were changed last. */
        Experiments: {
            items: components["schemas"]["ExperimentRow"][];
            next: null;
            /** @description The total number. */
            total: number;
            server: string;
            /** @description The server is the local service. */
            local: boolean;
        };
        /**
         * @description A conversation with all messages and events.
         * @example {
         *       "agent": "intake",
         *       "created": "2026-11-29T09:00:00.000000Z",
         *       "status": "waiting",
         *       "thread": "5f2c8d0a91be",
         *       "turns": 1,
         *       "updated": "2026-11-29T09:00:02.500000Z",
         *       "waiting_for": {
         *         "key": "venue",
         *         "kind": "choice",
         *         "node": "q.venue",
         *         "options": [
         *           {
         *             "value": "home"
         *           }
         *         ],
         *         "prompt": "Where will it be used?"
         *       }
         *     }
         */
        Exported: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            messages: components["schemas"]["MessageSaid"][];
            trace: components["schemas"]["TraceRow"][];
        };
        /** @description A file that a thread received. */
        FileGiven: {
            name: string;
            bytes: number;
            sha256: string;
        };
        /**
         * @description Bytes already at the provider, named by a handle the provider issued: an
         *     OpenAI or Anthropic file id, a Gemini file URI, a storage URL only that
         *     provider can read. No bytes travel and nothing is fetched. Only the
         *     provider that minted the handle can resolve it; a peer that cannot drops
         *     the part as it drops any part it cannot use.
         */
        FileSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file";
            value: string;
            provider?: string | null;
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A finding with the end of its place. */
        Finding: {
            code: string;
            severity: components["schemas"]["Severity"];
            message: string;
            file: string;
            line: number;
            column: number;
            /** @description Where it is, as a JSON Pointer into the document. */
            pointer: string;
            hint: string;
            end_line: number;
            end_column: number;
            /** @description Other places that belong to it. */
            related: components["schemas"]["Related"][];
        };
        /** @description The check succeeded. */
        Fine: {
            /** @constant */
            status: "ok";
        };
        /** @description A node of a flow. */
        FlowNode: {
            id: string;
            kind: components["schemas"]["Kind"];
            /** @description Empty if the flow has none. */
            label: string;
        };
        /** @description A flow that can be edited. */
        FlowOfAgent: {
            agent: string;
            /** @description The id of the flow; empty if its file cannot be read as a document. */
            flow: string;
            title: string;
            /** @description The number of the active published version; 0 if the folder's file is active. */
            version: number;
            /** @description The revision of the draft; 0 without one. */
            draft: number;
            /** @description When the draft was saved; empty without one. */
            edited: string;
            /** @description Who saved the draft; empty without one. */
            editor: string;
            /** @description Why it cannot be edited; empty if it can. */
            problem: string;
            /** @description The file of the folder is not a version of the store. Compare it. */
            file_changed: boolean;
        };
        /** @description The flow of an agent. */
        FlowRead: {
            agent: string;
            /** @description The text of its file. */
            document: string;
            graph: components["schemas"]["Drawn"];
        };
        /** @description The JSON Schema (draft 2020-12) of a flow document. */
        FlowSchema: {
            [key: string]: unknown;
        };
        /**
         * @description A flow document, YAML or JSON.
         * @example {
         *       "text": "version: v1\nid: flow.hello\nnodes:\n  - {id: done, type: terminal, say: Hello}\n"
         *     }
         */
        FlowText: {
            text: string;
        };
        /** @description The name and arguments of a tool call. */
        FunctionCall: {
            name: string;
            arguments: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Some nodes of the graph, and the counts of the whole graph. */
        Graph: {
            nodes: components["schemas"]["GraphNode"][];
            edges: components["schemas"]["GraphEdge"][];
            /** @description There is more than was requested. */
            truncated: boolean;
            /** @description It grows with every write. */
            version: number;
            labels: components["schemas"]["LabelCount"][];
            types: components["schemas"]["TypeCount"][];
        };
        /** @description A node or an edge before and after the change; null if it did not exist. */
        GraphChange: {
            /** @enum {string} */
            kind: "created" | "updated" | "deleted";
            before: components["schemas"]["GraphNode"] | components["schemas"]["GraphEdge"] | null;
            after: components["schemas"]["GraphNode"] | components["schemas"]["GraphEdge"] | null;
        };
        /** @description A directed edge. */
        GraphEdge: {
            from_label: string;
            from_key: string;
            type: string;
            to_label: string;
            to_key: string;
            properties: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
        };
        /** @description A node: `label` and `key` are its identity. */
        GraphNode: {
            label: string;
            key: string;
            properties: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
        };
        /** @description Changes that were committed together. */
        GraphStep: {
            version: number;
            time: string;
            changes: components["schemas"]["GraphChange"][];
        };
        /** @description A group of users, such as a school. */
        Group: {
            type: string;
            id: string;
        };
        /** @description An image part. */
        ImagePart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "image";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description An API key, without its secret. Times that do not apply are empty. */
        Key: {
            id: string;
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            name: string;
            created: string;
            expires: string;
            last_used: string;
            revoked: string;
        };
        /** @description An API key that was just created. */
        KeyMade: {
            id: string;
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            name: string;
            created: string;
            expires: string;
            last_used: string;
            revoked: string;
            /** @description The key itself. No other answer has it. */
            key: string;
        };
        /**
         * @description The five kinds of node.
         * @enum {string}
         */
        Kind: "question" | "decision" | "action" | "subgraph" | "terminal";
        /** @description The number of nodes with a label. */
        LabelCount: {
            label: string;
            count: number;
        };
        /** @description The number of users, groups and segments on the lists of a side. */
        ListCounts: {
            users: number;
            groups: number;
            segments: number;
        };
        /** @description A turn in the interaction log. */
        Logged: {
            id: string;
            session: string;
            agent: string;
            number: number;
            type: string;
            question: string;
            code: string;
            result: string;
            reply: string;
            success: boolean;
            error: string;
            metadata: JsonObject;
            started: string;
            seconds: number;
            model_calls: number;
            tokens: number;
            /** @description The thread exists, and the user of the request may open it. */
            yours: boolean;
        };
        /** @description The user of the request. */
        Me: {
            user: string;
            /** @enum {string} */
            role: "viewer" | "user" | "author" | "publisher" | "admin";
            /** @description This service has a login. */
            login: boolean;
        };
        /** @description The members of the lists of a side. */
        Members: {
            users: string[];
            groups: components["schemas"]["Group"][];
        };
        /** @description A message. */
        MessageSaid: {
            seq: number;
            /** @enum {string} */
            role: "user" | "assistant";
            text: string;
            time: string;
            /** @description 0 for the messages at the start of a branch. */
            turn: number;
            /** @description In the last message of a turn that created files. */
            artifacts?: components["schemas"]["ArtifactMade"][];
        };
        /** @description A name that guards and texts may read, for completion. */
        Name: {
            name: string;
            /** @description Its JSON Schema type, or the values that it may have. */
            type: string;
            /** @description `answer`, `channel` or `predicate`. */
            kind: string;
        };
        /**
         * @description The key to create: its user, its role, and its lifetime in days (null: it does not expire).
         * @example {
         *       "days": 90,
         *       "role": "user",
         *       "user": "ann"
         *     }
         */
        NewKey: {
            user: string;
            /**
             * @default user
             * @enum {string}
             */
            role?: "viewer" | "user" | "author" | "publisher" | "admin";
            /** @default  */
            name?: string;
            /** @default 90 */
            days?: number | null;
        };
        /**
         * @description The agent of a new thread; `thread` is its id, generated if missing.
         * @example {
         *       "agent": "intake"
         *     }
         */
        NewThread: {
            agent: string;
            thread?: string | null;
            /** @default  */
            title?: string;
        };
        /**
         * @description A message for a thread. Without one the turn begins the conversation, or finishes an interrupted turn. `files`
         *     are ids of uploads.
         *
         *     `approves` is the hash of `waiting_for.approval`: without it no yes in the message confirms anything.
         * @example {
         *       "message": "I need lights for a tennis court"
         *     }
         * @example {}
         */
        NewTurn: {
            message?: string | null;
            files?: string[];
            /** @default  */
            approves?: string;
        };
        /** @description A file without a data set. */
        NoDataSet: {
            file: string;
            problem: components["schemas"]["WhyNoDataSet"];
        };
        /** @description One reason why an agent is not ready. */
        NotReady: {
            code: string;
            message: string;
            hint: string;
            /** @description Numbers and names in the message. */
            facts: JsonObject;
        };
        /** @description The error in the format that clients of OpenAI's API expect. */
        OpenAiError: {
            message: string;
            /** @enum {string} */
            type: "invalid_request_error" | "server_error";
            code: string;
            param: null;
        };
        Page_Audited_: {
            items: components["schemas"]["Audited"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Entry_: {
            items: components["schemas"]["Entry"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Logged_: {
            items: components["schemas"]["Logged"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_MessageSaid_: {
            items: components["schemas"]["MessageSaid"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Record_: {
            items: components["schemas"]["Record"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        Page_Thread_: {
            items: components["schemas"]["Thread"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
        };
        /** @description The actions and validators of the agent's Python, and its conversations. */
        Palette: {
            actions: components["schemas"]["ActionRead"][];
            validators: string[];
            conversations: string[];
        };
        /** @description A pane of the web app. */
        PaneShown: {
            /** @description Its name in addresses. */
            name: string;
            /** @description Its title by language; `en` always exists. */
            title: {
                [key: string]: string;
            };
            /** @description The path data (`d`) of an SVG path, an outline on a grid of 24 by 24. */
            icon: string;
            /** @description The address of its ES module, relative to the web app; empty if it is built in. */
            module: string;
            /** @description The letter that opens it after G; empty for none. */
            key: string;
            /** @description It shows the thread of the chat. */
            of_thread: boolean;
        };
        /** @description The position of a node in a drawing, in pixels. */
        Place: {
            x: number;
            y: number;
        };
        /** @description The call stack of a flow. */
        Position: {
            /** @description The outermost first: graph, node, answer scopes (name, graph), and whether it is a detour. */
            frames: [
                string,
                string,
                [
                    string,
                    string
                ][],
                boolean
            ][];
            /** @description The node on top has been answered or performed. */
            done: boolean;
            /** @description The conversation was escalated. */
            escaped: boolean;
        };
        /** @description The changes that a publication would make. */
        Preview: {
            /** @description The difference by meaning from the active flow. */
            difference: components["schemas"]["ChangeLine"][];
            threads: components["schemas"]["WaitingThread"][];
            /** @description How many further conversations wait. */
            more: number;
        };
        /** @description An event, with its cost. */
        PricedRow: {
            seq: number;
            /** @description How many actions had been performed. */
            visit: number;
            time: string;
            event: components["schemas"]["Event"];
            /** @description In a call of a model that has a price. */
            cost?: number;
        };
        /**
         * @description A problem document (RFC 9457): what went wrong, why, and what to do.
         * @example {
         *       "code": "nothing_waits",
         *       "detail": "The thread does not wait for an answer.",
         *       "hint": "Send a message to /turns.",
         *       "request_id": "3f0c9a7d",
         *       "status": 409,
         *       "type": "urn:graphwright:problem:nothing_waits"
         *     }
         */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description A stable identifier for programs. */
            code: string;
            /** @description What to do; may be empty. */
            hint: string;
            request_id: string;
            /** @description Only below /v1. */
            error?: components["schemas"]["OpenAiError"];
        };
        /**
         * @description The confirmation to publish exactly this document.
         * @example {
         *       "hash": "5f1d...",
         *       "note": "Ask for the size first.",
         *       "revision": 3
         *     }
         */
        Publication: {
            revision: number;
            /** @description The hash that the check of the draft returned. */
            hash: string;
            /** @description What changed, and why. */
            note: string;
        };
        /**
         * @description A span of the agent's reasoning, materialised as a message. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        ReasoningMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "reasoning";
            content: string;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description One record of an agent, under a key of one of its collections. */
        Record: {
            collection: string;
            key: string;
            value: Json;
            agent: string;
            thread: string;
            created: string;
        };
        /** @description Another place that belongs to a finding. */
        Related: {
            message: string;
            line: number;
            column: number;
            pointer: string;
        };
        /** @description An answer to one interrupt, sent on the run that continues from it. */
        ResumeEntry: {
            interruptId: string;
            /** @enum {string} */
            status: "resolved" | "cancelled";
            payload?: unknown | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The answer to a pending question: a JSON `value`, such as that of a button, or a `message`.
         *
         *     `approves` is the hash of `waiting_for.approval`; a yes to a confirmation must carry it.
         * @example {
         *       "approves": "00653f2c9a1b",
         *       "value": true
         *     }
         * @example {
         *       "message": "no, 11 people"
         *     }
         */
        Resumption: {
            value?: Json;
            message?: string | null;
            /** @default  */
            approves?: string;
        };
        /**
         * @description A running turn, or how it ended. It continues if its listener disconnects.
         * @example {
         *       "created": "2026-11-29T09:00:00.120000Z",
         *       "id": "9794c1d5e0a27b38",
         *       "status": "running",
         *       "thread": "5f2c8d0a91be",
         *       "updated": "2026-11-29T09:00:00.120000Z"
         *     }
         */
        Run: {
            id: string;
            thread: string;
            /** @enum {string} */
            status: "running" | "waiting" | "ended" | "failed" | "cancelled";
            created: string;
            updated: string;
            /** @description If the turn ended. */
            turn?: components["schemas"]["TurnResult"];
            /** @description If it failed without a turn. */
            problem?: components["schemas"]["Problem"];
            /** @description The message, if it must be sent again because no turn read it. */
            unread?: string;
        };
        /**
         * @description A request to run an agent. Also echoed back as RUN_STARTED.input. Only
         *     threadId, runId and messages are required: those are the three the SDKs
         *     already agree on, and for tools and context an absent key and an empty
         *     array mean the same thing, so requiring them would catch nothing a
         *     producer could get wrong.
         */
        RunAgentInput: {
            threadId: string;
            runId: string;
            protocolVersion?: string | null;
            parentRunId?: string | null;
            state?: unknown | null;
            messages: (components["schemas"]["DeveloperMessage"] | components["schemas"]["SystemMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["UserMessage"] | components["schemas"]["ToolMessage"] | components["schemas"]["ActivityMessage"] | components["schemas"]["ReasoningMessage"])[];
            tools?: components["schemas"]["Tool"][] | null;
            context?: components["schemas"]["Context"][] | null;
            forwardedProps?: unknown | null;
            resume?: components["schemas"]["ResumeEntry"][] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description How many of the held-out cases the model in use answered correctly. */
        Score: {
            right: number;
            cases: number;
        };
        /**
         * @description The severity: an error cannot run, a warning is probably a mistake, an info is a remark.
         * @enum {string}
         */
        Severity: "error" | "warning" | "info";
        /** @description The chi-square test of the split against the weights. */
        Split: {
            /** @description A fair draw may have this result; null if no one was counted. */
            fair: boolean | null;
            /** @description Null if someone has a condition of weight 0. */
            chi_square: number | null;
            /** @description Degrees of freedom: the number of possible conditions minus one. */
            degrees: number;
            /** @description Null if no one was counted. */
            p_value: number | null;
            /** @description Enough units were counted for the test to be meaningful. */
            enough: boolean;
            /** @description The result of the test in one or two sentences. */
            verdict: string;
        };
        /** @description The state of a thread. */
        State: {
            thread: string;
            agent: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            waiting_for: components["schemas"]["WaitingNow"] | null;
            position: components["schemas"]["Position"] | null;
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
            /** @description Its last run. */
            run: components["schemas"]["Run"] | null;
        };
        /** @description The state of a thread after an event. */
        StateThen: {
            thread: string;
            agent: string;
            flow_id: string;
            flow_hash: string;
            /** @description The number of the event. */
            at: number;
            time: string;
            event: components["schemas"]["Event"];
            turn: number;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            /** @description The node that was entered last. */
            node: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            position: components["schemas"]["Position"] | null;
            /** @description The votes for alternative paths, and the chosen path. */
            paths: JsonObject;
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
        };
        /** @description Instructions from the system. */
        SystemMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "system";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A document to run the conversations on: all, or those named.
         * @example {
         *       "text": "version: v1\nid: flow.shop\n"
         *     }
         */
        TestRun: {
            text: string;
            only?: string[];
        };
        /** @description A text part. */
        TextPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "text";
            id?: string | null;
            text: string;
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A conversation.
         * @example {
         *       "agent": "intake",
         *       "created": "2026-11-29T09:00:00.000000Z",
         *       "status": "waiting",
         *       "thread": "5f2c8d0a91be",
         *       "turns": 1,
         *       "updated": "2026-11-29T09:00:02.500000Z",
         *       "waiting_for": {
         *         "key": "venue",
         *         "kind": "choice",
         *         "node": "q.venue",
         *         "options": [
         *           {
         *             "value": "home"
         *           }
         *         ],
         *         "prompt": "Where will it be used?"
         *       }
         *     }
         */
        Thread: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
        };
        /**
         * @description A conversation, and its last run.
         * @example {
         *       "agent": "intake",
         *       "created": "2026-11-29T09:00:00.000000Z",
         *       "status": "waiting",
         *       "thread": "5f2c8d0a91be",
         *       "turns": 1,
         *       "updated": "2026-11-29T09:00:02.500000Z",
         *       "waiting_for": {
         *         "key": "venue",
         *         "kind": "choice",
         *         "node": "q.venue",
         *         "options": [
         *           {
         *             "value": "home"
         *           }
         *         ],
         *         "prompt": "Where will it be used?"
         *       }
         *     }
         */
        ThreadWithRun: {
            agent: string;
            /** @description Its id. */
            thread: string;
            title: string;
            /** @enum {string} */
            status: "new" | "running" | "cut_short" | "waiting" | "ended" | "failed";
            turns: number;
            created: string;
            updated: string;
            waiting_for: components["schemas"]["Waiting"] | null;
            run: components["schemas"]["Run"] | null;
        };
        /**
         * @description The new title of a thread.
         * @example {}
         */
        Title: {
            title: string;
        };
        /** @description A tool the agent may call. */
        Tool: {
            name: string;
            description: string;
            parameters?: unknown | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A call an assistant message made. Carries no subagent attribution of its
         *     own and inherits its containing message's, since several calls can share
         *     one parent.
         */
        ToolCall: {
            id: string;
            /**
             * @default function
             * @constant
             */
            type?: "function";
            function: components["schemas"]["FunctionCall"];
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description What a tool returned, as a message in the conversation. Stands alone
         *     rather than composing BaseMessage, because it carries no name.
         */
        ToolMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "tool";
            content: string | (components["schemas"]["TextPart"] | components["schemas"]["ImagePart"] | components["schemas"]["AudioPart"] | components["schemas"]["VideoPart"] | components["schemas"]["DocumentPart"])[];
            toolCallId: string;
            error?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A page of the trace. */
        Trace: {
            items: components["schemas"]["PricedRow"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
            currency: string;
        };
        /** @description An event of the trace. */
        TraceRow: {
            seq: number;
            /** @description How many actions had been performed. */
            visit: number;
            time: string;
            event: components["schemas"]["Event"];
        };
        /** @description The result of a turn; also the last event of its run, `turn_ended`. */
        TurnResult: {
            /** @constant */
            type: "turn_ended";
            thread: string;
            agent: string;
            /** @enum {string} */
            status: "waiting" | "ended" | "failed";
            /** @description All texts of the turn, and the pending prompt. */
            reply: string;
            waiting_for: components["schemas"]["WaitingNow"] | null;
            /** @description Every node entered, in order. */
            path: string[];
            /** @description `answers`, and the channels that are not private. */
            values: JsonObject;
            artifacts: components["schemas"]["ArtifactMade"][];
            usage: components["schemas"]["Usage"];
            error: components["schemas"]["WhyFailed"] | null;
            /** @description If values were rejected. */
            refused?: components["schemas"]["ValueRefused"][];
            /** @description The message, if it must be sent again because an earlier turn was finished. */
            unread?: string;
        };
        /** @description A turn, and the usage of its model calls. */
        TurnRow: {
            turn: number;
            /** @description The event with which it began. */
            seq: number;
            time: string;
            message: string | null;
            failed: boolean;
            calls: number;
            tokens: number;
            seconds: number;
            /** @description Null if a model that answered has no price. */
            cost: number | null;
        };
        /** @description A page of turns, the newest first. */
        Turns: {
            items: components["schemas"]["TurnRow"][];
            /** @description What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one. */
            next: string | null;
            currency: string;
        };
        /** @description The number of edges with a type. */
        TypeCount: {
            type: string;
            count: number;
        };
        /**
         * @description With `preview` the changes are only shown, with their hash; otherwise `approves` must be that hash.
         * @example {
         *       "preview": true
         *     }
         * @example {
         *       "approves": "00653f2c",
         *       "preview": false
         *     }
         */
        Undo: {
            /** @default true */
            preview?: boolean;
            /** @default  */
            approves?: string;
        };
        /** @description The changes that undoing an entry would make now. To undo it, send `hash` as `approves`. */
        UndoPreview: {
            goal: string;
            changes: components["schemas"]["GraphChange"][];
            hash: string;
        };
        /** @description An uploaded file. Send its `id` with a message. */
        Uploaded: {
            name: string;
            bytes: number;
            sha256: string;
            id: string;
            /** @description Its type, such as `xlsx`, determined from the content. */
            kind: string;
        };
        /** @description Bytes referenced by URL, fetched by whoever needs them. */
        UrlSource: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "url";
            value: string;
            mimeType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The usage of a turn. */
        Usage: {
            model_calls: number;
            input_tokens: number;
            output_tokens: number;
            seconds: number;
        };
        /** @description A message from the person using the application. */
        UserMessage: {
            subagentRunId?: string | null;
            id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            role: "user";
            name?: string | null;
            encryptedValue?: string | null;
            metadata?: JsonObject | null;
            content: string | (components["schemas"]["TextPart"] | components["schemas"]["ImagePart"] | components["schemas"]["AudioPart"] | components["schemas"]["VideoPart"] | components["schemas"]["DocumentPart"])[];
        } & {
            [key: string]: unknown;
        };
        /** @description A value of the reply that was rejected. */
        ValueRefused: {
            key: string;
            /** @enum {string} */
            stage: "approval" | "options" | "schema" | "validate" | "when";
            reason: string;
        };
        /** @description A published version of a flow. */
        Version: {
            number: number;
            hash: string;
            author: string;
            note: string;
            created: string;
        };
        /** @description A published version with its text. */
        VersionText: {
            number: number;
            hash: string;
            author: string;
            note: string;
            created: string;
            text: string;
        };
        /** @description A video part. */
        VideoPart: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "video";
            id?: string | null;
            source: components["schemas"]["DataSource"] | components["schemas"]["UrlSource"] | components["schemas"]["FileSource"];
            metadata?: unknown | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The pending question or message. At `message` the thread accepts any message. */
        Waiting: {
            node: string;
            /** @description The answer that is asked for; empty at `message`. */
            key: string;
            prompt: string;
            /** @enum {string} */
            kind: "question" | "confirm" | "choice" | "message";
            options: components["schemas"]["Choice"][];
        };
        /** @description The pending question or message now, with everything needed to answer it. */
        WaitingNow: {
            node: string;
            /** @description The answer that is asked for; empty at `message`. */
            key: string;
            prompt: string;
            /** @enum {string} */
            kind: "question" | "confirm" | "choice" | "message";
            options: components["schemas"]["Choice"][];
            /**
             * @description The JSON Schema of the value, at a question.
             * @default {}
             */
            schema?: JsonObject;
            /** @description If a yes allows actions. */
            approval?: components["schemas"]["ApprovalAsked"];
        };
        /** @description The outcome of a publication for a waiting conversation. */
        WaitingThread: {
            thread: string;
            /** @description `carry` or `move` to the new version, or it stays: `pin`, `ask`, `wait`, ... */
            outcome: string;
            reasons: string[];
            /** @description Where it waits. */
            node: string;
            /** @description Where it waits afterwards. */
            goes_to: string;
        };
        Whole_Agent_: {
            items: components["schemas"]["Agent"][];
            next: null;
        };
        Whole_Artifact_: {
            items: components["schemas"]["Artifact"][];
            next: null;
        };
        Whole_FileGiven_: {
            items: components["schemas"]["FileGiven"][];
            next: null;
        };
        Whole_FlowOfAgent_: {
            items: components["schemas"]["FlowOfAgent"][];
            next: null;
        };
        Whole_Key_: {
            items: components["schemas"]["Key"][];
            next: null;
        };
        Whole_PaneShown_: {
            items: components["schemas"]["PaneShown"][];
            next: null;
        };
        Whole_Version_: {
            items: components["schemas"]["Version"][];
            next: null;
        };
        /** @description Why a turn failed. */
        WhyFailed: {
            code: string;
            message: string;
            hint: string;
        };
        /** @description The reason why a file could not be read as data. */
        WhyNoDataSet: {
            code: string;
            detail: string;
            hint: string;
        };
        /** @description The walk entered a node. `depth` is the number of subgraph calls around it. */
        NodeEnteredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "node_entered";
            node: string;
            kind: string;
            graph: string;
            depth: number;
        };
        /** @description A question was passed over: `answered`, `declined` or `not_applicable`. `key` is that of its answer, dotted. */
        QuestionPassedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "question_passed";
            node: string;
            key: string;
            reason: string;
        };
        /**
         * @description A guard was evaluated. `of` is the edge id, `NODE.when`, or `NODE.confirm` for the `when` of a confirmation.
         *
         *     `guard` is its text. `saw` are the values of the names it reads; a name without a value is left out. A large channel
         *     shows only its size, a private one nothing at all. `missing` are the answers it reads that were not given.
         */
        GuardCheckedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "guard_checked";
            of: string;
            guard: string;
            opened: boolean;
            saw: JsonObject;
            missing?: string[];
            error?: string;
        };
        /** @description The walk took an edge. `also_open` names the other edges that were open and were not taken. */
        EdgeTakenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "edge_taken";
            edge: string;
            source: string;
            target: string;
            else?: boolean;
            ambiguous?: boolean;
            also_open?: string[];
        };
        /** @description A subgraph was called. */
        SubgraphEnteredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "subgraph_entered";
            node: string;
            ref: string;
            /** @default  */
            scope: string;
        };
        /** @description A subgraph returned to the node that had called it. */
        SubgraphLeftEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "subgraph_left";
            node: string;
            ref: string;
        };
        /**
         * @description A question dropped its answer; `path` leads to it inside `answers`.
         *
         *     Without a `reason` the question is asked at each entry. Otherwise the answer no longer holds after a change, and
         *     `reason` is what it violates: `options`, `when` or `validate`; or `undecided`: its `validate` reads an answer that
         *     may still be given. `value` is what it was, `because` what changed.
         */
        AnswerDroppedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_dropped";
            node: string;
            key: string;
            reason?: string;
            value?: Json;
            because?: string[];
        };
        /** @description Questions that did not apply when the flow passed them apply now; they are asked. `keys` are dotted. */
        QuestionsReopenedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "questions_reopened";
            keys: string[];
        };
        /** @description Answers changed that the action `node` had read, so that its `channels` do not fit them; `because` names them. */
        ChannelsStaleEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_stale";
            node: string;
            channels: string[];
            because: string[];
        };
        /** @description A terminal was reached while something still has to hold; `asks` is the key asked for, if one can be. */
        ConstraintUnmetEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "constraint_unmet";
            node: string;
            keys: string[];
            asks: string;
            message: string;
        };
        /**
         * @description The walk left its way for `target`, because of `reason`.
         *
         *     `asked_again` and `computed_again`: `source` reads an answer that was dropped or withdrawn, or a channel that is
         *     stale; the walk returns to it.
         */
        JumpedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "jumped";
            source: string;
            target: string;
            reason: string;
        };
        /**
         * @description The model named a path. `counted` says whether that was a vote; if not, `reason` is `unsure` or `locked`.
         *
         *     `votes` are those of all paths afterwards, `tentative` is the path that they speak for, `threshold` what one path
         *     needs to be locked. `confidence` is None where the model gave none that means anything.
         */
        PathVotedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_voted";
            path: string;
            confidence: number | null;
            counted: boolean;
            votes: {
                [key: string]: number;
            };
            tentative: string;
            threshold: number;
            rationale: string;
            /** @default  */
            reason?: string;
        };
        /** @description Before any path was locked, another one took the lead. */
        PathSwitchedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_switched";
            before: string;
            path: string;
        };
        /** @description A path was chosen: from now on only the user's own correction changes it. */
        PathLockedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_locked";
            path: string;
        };
        /** @description The user corrected the choice: `path` is locked now instead of the one before. */
        PathCorrectedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_corrected";
            before: string;
            path: string;
        };
        /** @description The model named a path in vain: it is `unknown`, or one of `several` that it named for one reply. */
        PathRefusedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "path_refused";
            path: string;
            reason: string;
            /** @default  */
            rationale: string;
        };
        /**
         * @description A turn began. `afresh`: the thread was new or had ended, so that the flow starts at its entry.
         *
         *     `resumed`: the turn answers with `value`, and `message` is its text. `without_model`: the model is `none`. `born` is
         *     the random token of a new thread; otherwise empty. `now` is the time at which the turn began, in the local zone
         *     (ISO 8601): the value of `now` in expressions.
         */
        TurnStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_started";
            turn: number;
            message: string | null;
            afresh: boolean;
            flow: string;
            flow_hash: string;
            /** @default false */
            resumed?: boolean;
            /** @default null */
            value?: Json;
            /** @default false */
            without_model?: boolean;
            /** @default  */
            born?: string;
            /** @default  */
            now?: string;
        };
        /** @description An action left the conversation to a person: `to` whom, if it is said, and the `summary` for them. */
        HandedOverEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "handed_over";
            node: string;
            to: string;
            summary: string;
        };
        /**
         * @description The user gave a file with the message. `sha256` is the hash of its content, `bytes` its size.
         *
         *     `folder` distinguishes it from other files of the same name; empty if there are none.
         */
        FileGivenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "file_given";
            name: string;
            sha256: string;
            bytes: number;
            /** @default  */
            folder: string;
        };
        /** @description An interrupted turn continues. */
        TurnResumedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_resumed";
            turn: number;
        };
        /**
         * @description A model answered, or failed. `offered` names the tools or the schema that the request offered.
         *
         *     `answer` is what it answered, in the form of a rule of the scripted model: `{call: {NAME: {arguments}}}`, `{text}`,
         *     `{raw}` or `{fail}`. `private` says that the node writes private channels, so that the answer is not shown.
         */
        ModelCalledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "model_called";
            node: string;
            model: string;
            offered: string[];
            input_tokens: number;
            output_tokens: number;
            seconds: number;
            /** @default  */
            error?: string;
            answer?: JsonObject | "<private>";
            /** @default false */
            private?: boolean;
        };
        /** @description A value became an answer. `quote` holds the user's words it came from; `replaced` the former value. */
        AnswerCommittedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_committed";
            node: string;
            key: string;
            value: Json;
            /** @default  */
            quote: string;
            /** @default null */
            replaced: Json;
        };
        /**
         * @description A proposed value was not committed. `stage` names the check that refused it: `quotation` (its words
         *     are not in the message), `correction`, `options`, `schema`, `validate`, `when`, `approval`, `consent` or `early`.
         */
        AnswerRefusedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_refused";
            node: string;
            key: string;
            value: Json;
            quote: string;
            stage: string;
            reason: string;
        };
        /**
         * @description The user has no answer to a question. `declined` says that the question is optional and is passed over now.
         *
         *     `replaced` is an answer given before that the user took back, with `reason` holding the words.
         */
        AnswerUnknownEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_unknown";
            node: string;
            key: string;
            reason: string;
            declined: boolean;
            /** @default null */
            replaced: Json;
        };
        /** @description A flow with `restart: clear` started again. */
        AnswersClearedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answers_cleared";
        };
        /** @description A new conversation began; these channels have their defaults: those of `scope: conversation`, and new ones. */
        ChannelsResetEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_reset";
            values: JsonObject;
            /** @default [] */
            private: string[];
        };
        /**
         * @description The flow changed since the conversation ended, and these `answers` (dotted keys) and `channels` no longer fit.
         *
         *     The answers are dropped; a channel goes back to its default, or is dropped where the flow has it no more.
         */
        StateAdaptedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "state_adapted";
            answers: string[];
            channels: string[];
        };
        /**
         * @description The thread moved from version `before` of its flow to version `after` (hashes); `reasons` say what changed in it.
         *
         *     `by` is the operator who migrated it between two turns; it is empty where the thread carried over at a message.
         *     `undoes`: the migration before this event is taken back. `state` has the fields of the state that changed, as in
         *     `ThreadState.to_json`, null for one that has its default again. `gone` are the channels that were removed; `values`
         *     those that were set.
         */
        FlowMigratedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "flow_migrated";
            before: string;
            after: string;
            /** @default [] */
            reasons?: string[];
            /** @default  */
            by?: string;
            /** @default false */
            undoes?: boolean;
            state?: JsonObject;
            /** @default [] */
            gone?: string[];
            values?: JsonObject;
            /** @default [] */
            private?: string[];
        };
        /** @description A reply gave no answer to the waiting question, for the `count`-th time out of `limit`. */
        NotUnderstoodEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "not_understood";
            node: string;
            key: string;
            count: number;
            limit: number;
        };
        /**
         * @description The conversation left its normal way for `target`: the user asked for a person, too many replies were invalid,
         *     or a question has no options to choose from.
         */
        EscalatedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "escalated";
            node: string;
            target: string;
            reason: string;
        };
        /** @description Text for the user. */
        SaidEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "said";
            node: string;
            text: string;
        };
        /**
         * @description A piece of a text that an action is still writing. Sent to listeners during the turn; not part of the trace.
         *
         *     The final text is the event `said` and may differ. `afresh`: the text starts again with this piece.
         */
        SayingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "saying";
            node: string;
            text: string;
            /** @default false */
            afresh: boolean;
        };
        /** @description The thread waits. `kind` is `question`, `confirm`, `choice` or `message`; `options` are `{value, title}` each. */
        PromptedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "prompted";
            node: string;
            key: string;
            text: string;
            /** @enum {string} */
            kind: "question" | "confirm" | "choice" | "message";
            /** @default [] */
            options: JsonObject[];
        };
        /** @description The user said yes to what `action` is about to do. `content` is the hash of what was confirmed. */
        ConfirmationGivenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "confirmation_given";
            node: string;
            action: string;
            content: string;
        };
        /** @description An action was not performed: `reason` is `never_given` or `content_changed`. Question `by` is asked again. */
        ConfirmationMissingEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "confirmation_missing";
            action: string;
            by: string;
            reason: string;
        };
        /** @description An action is being performed. `visit` is its idempotency number in the thread; `attempt` counts from 1. */
        ActionStartedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_started";
            node: string;
            run: string;
            visit: number;
            attempt: number;
        };
        /** @description An action is done. */
        ActionFinishedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_finished";
            node: string;
            run: string;
            visit: number;
            attempt: number;
            seconds: number;
        };
        /**
         * @description An attempt failed. `final` says that it was the last one.
         *
         *     `place` is the file and line of the agent where an unexpected exception was raised; empty for an error for people.
         */
        ActionFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_failed";
            node: string;
            run: string;
            visit: number;
            attempt: number;
            error: string;
            final: boolean;
            /** @default  */
            place: string;
        };
        /** @description An action that may not be repeated was begun, and a crash or its time limit hides whether it was done. */
        OutcomeUnknownEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "outcome_unknown";
            node: string;
            run: string;
            visit: number;
            attempt: number;
            reason: string;
        };
        /** @description The user said what became of an action in doubt: `done`, or `again`: it is to be performed (again). */
        OutcomeDecidedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "outcome_decided";
            node: string;
            visit: number;
            decision: string;
        };
        /**
         * @description An action called a tool of its node. `arguments` names what was given, without the values.
         *
         *     When it was not `ok`, `kind` says how it failed (`unknown_tool`, `bad_arguments`, `bad_parameters`, `failed`),
         *     `error` the message, and `code` the code of a GraphwrightError.
         */
        ToolCalledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_called";
            node: string;
            tool: string;
            arguments: string[];
            ok: boolean;
            seconds: number;
            /** @default  */
            kind: string;
            /** @default  */
            error: string;
            /** @default  */
            code: string;
        };
        /** @description Channels have new values: complete values, also of a channel that appends; hashes of large values. */
        ChannelsWrittenEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_written";
            node: string;
            values: JsonObject;
            /** @default [] */
            private: string[];
        };
        /** @description An action made a file. */
        ArtifactMadeEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "artifact_made";
            node: string;
            kind: string;
            name: string;
            /** @description Where its content is: /threads/{thread}/artifacts/{id}. */
            id: string;
        };
        /**
         * @description An action, at a failed attempt too, noted something of this turn for the interaction log.
         *
         *     Later ones of a turn go before earlier ones, field by field. `success` is None where the action did not say.
         */
        InteractionNotedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "interaction_noted";
            node: string;
            /** @default  */
            kind?: string;
            /** @default  */
            code?: string;
            /** @default  */
            result?: string;
            /** @default null */
            success?: boolean | null;
            /** @default  */
            error?: string;
            metadata?: JsonObject;
        };
        /** @description The turn failed; what it had committed before stays, and the thread can go on. */
        TurnFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_failed";
            node: string;
            code: string;
            message: string;
            hint: string;
        };
        /**
         * @description The flow that walks in the shadow of the answering one was compared with it after a turn.
         *
         *     `flow_hash` is the hash of the flow in the shadow. `verdict` is `same`, `different` or `unknown`; `reason` says why
         *     it is not known. `answering` and `shadow` are the decisions of both flows: `{status, node, key, performed}`.
         */
        ShadowComparedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "shadow_compared";
            flow: string;
            flow_hash: string;
            /** @enum {string} */
            verdict: "same" | "different" | "unknown";
            answering: JsonObject;
            shadow: JsonObject;
            /** @default  */
            reason: string;
        };
        /**
         * @description The thread began as a branch: the events before this one are those of `thread` up to its event `at`.
         *
         *     `answers` are the dotted keys of the changed answers; the events of the changes follow. `born` is the random token
         *     of the new thread.
         */
        BranchedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "branched";
            thread: string;
            at: number;
            /** @default [] */
            answers: string[];
            /** @default  */
            born: string;
        };
        /** @description The model that read a reply, or an action, saw another language than before. `language` is a tag such as `de`. */
        LanguageReadEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "language_read";
            language: string;
        };
        /**
         * @description An action wrote channels that depend on answers: what computed which channel.
         *
         *     `sources` has the changed entries, as `Source.to_json`; the channels in `forgotten` have none any more.
         */
        ChannelsComputedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "channels_computed";
            node: string;
            sources: {
                [key: string]: Json[];
            };
            /** @default [] */
            forgotten: string[];
        };
        /**
         * @description The thread is at `position`: it waits there, performs the action there as number `visit`, or has ended.
         *
         *     `position` is as `Position.to_json` gives it, `mode` one of `waiting`, `performing` and `ended`.
         */
        MovedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "moved";
            position: JsonObject;
            /** @enum {string} */
            mode: "waiting" | "performing" | "ended";
            visit: number;
        };
        /** @description The run failed without a turn: a problem. */
        RunFailedEvent: {
            /** @description The message to send again. */
            unread?: string;
        } & components["schemas"]["Problem"];
        /** @description The run was cancelled. */
        RunCancelledEvent: {
            /** @constant */
            type: "run_cancelled";
            run: string;
            /** @description The message to send again. */
            unread?: string;
        };
        /** @description The `data` of one frame; its `event` is the type. The last one is one of the ends of a run. */
        RunEvent: components["schemas"]["Event"] | components["schemas"]["TurnResult"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCancelledEvent"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_agents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Agent_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithFlow"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_flows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_FlowOfAgent_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_flow_schema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowSchema"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_palette: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Palette"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    save_draft: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
            };
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftChecked"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestRun"];
            };
        };
        responses: {
            /** @description `total`, a `result` for each conversation, then `coverage`; or an `error`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Edited"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publish_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Publication"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Version_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionText"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_flow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowRead"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_flow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowText"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checked"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draw_flow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowText"];
            };
        };
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_threads: {
        parameters: {
            query?: {
                agent?: string;
                status?: ("new" | "running" | "cut_short" | "waiting" | "ended" | "failed") | null;
                q?: string;
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Thread_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_thread: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewThread"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadWithRun"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rename_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Title"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Thread"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_messages: {
        parameters: {
            query?: {
                before?: number | null;
                /** @description How many items at most. */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_MessageSaid_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_state: {
        parameters: {
            query?: {
                at?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["State"] | components["schemas"]["StateThen"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    branch_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchAt"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branched"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_thread: {
        parameters: {
            query?: {
                format?: "json" | "markdown";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exported"];
                    "text/markdown": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_turns: {
        parameters: {
            query?: {
                before?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Turns"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_turn: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTurn"];
            };
        };
        responses: {
            /** @description The run; with `Accept: text/event-stream` its events. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resumption"];
            };
        };
        responses: {
            /** @description The run; with `Accept: text/event-stream` its events. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watch_run: {
        parameters: {
            query?: {
                after?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_trace: {
        parameters: {
            query?: {
                since?: number;
                limit?: number;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["Body_upload_file"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_files: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_FileGiven_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Artifact_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_datasets: {
        parameters: {
            query?: {
                rows?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataSets"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logs: {
        parameters: {
            query?: {
                agent?: string;
                session?: string;
                type?: string;
                success?: boolean | null;
                since?: string;
                until?: string;
                q?: string;
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Logged_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_Key_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyMade"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: number | null;
                thread?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Audited_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_records: {
        parameters: {
            query?: {
                /** @description How many items at most. */
                limit?: number;
                /** @description `next` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Record_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_panes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whole_PaneShown_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    experiments: {
        parameters: {
            query?: {
                /** @description How many items at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiments"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    experiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiment"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    graph: {
        parameters: {
            query?: {
                q?: string;
                label?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    around: {
        parameters: {
            query: {
                node: string;
                depth?: number;
                limit?: number;
            };
            header?: never;
            path: {
                label: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Around"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    journal: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Entry_"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    journal_entry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                goal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryWithSteps"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undo: {
        parameters: {
            query?: never;
            header?: {
                "idempotency-key"?: string;
            };
            path: {
                goal: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Undo"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoPreview"] | components["schemas"]["EntryWithSteps"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunAgentInput"];
            };
        };
        responses: {
            /** @description The events of the protocol. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": JsonObject;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": JsonObject;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    complete: {
        parameters: {
            query?: never;
            header?: {
                "X-OpenWebUI-Chat-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Completion"];
            };
        };
        responses: {
            /** @description The completion; with `stream` its chunks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "text/event-stream": unknown;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description A problem: what went wrong, why, and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
