<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AnswerMessage</name>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Code in {language}</source>
        <translation>{language} 代码</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
</context>
<context>
    <name>Column</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation>设置（Ctrl+,）</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Ask anything</source>
        <translation>想问什么都可以</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a new line</source>
        <translation>按 Enter 发送，按 Shift+Enter 换行</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送（Enter）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答（Esc）</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
</context>
<context>
    <name>ContextLine</name>
    <message>
        <source>The model no longer sees what stands above: the conversation has become too long.</source>
        <translation>对话太长，模型已看不到这条线以上的内容。</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>ConversationListModel</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>更早</translation>
    </message>
</context>
<context>
    <name>EditBar</name>
    <message>
        <source>You are editing a question. What was asked and answered before is kept.</source>
        <translation>正在修改问题。之前的提问和回答都会保留。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Do not edit the question (Esc)</source>
        <translation>不修改这个问题（Esc）</translation>
    </message>
</context>
<context>
    <name>FirstRunPage</name>
    <message>
        <source>Choose a model to begin</source>
        <translation>选择一个模型，就可以开始</translation>
    </message>
    <message>
        <source>Sixpane is a private assistant that runs on this computer: what you type and what it answers never leave it.</source>
        <translation>Sixpane 是在这台电脑上运行的私人助手：您输入的内容和它的回答都不会离开这台电脑。</translation>
    </message>
    <message>
        <source>Use a file that I already have…</source>
        <translation>使用已有的文件…</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>导入模型</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf)</source>
        <translation>GGUF 模型 (*.gguf)</translation>
    </message>
    <message>
        <source>Get another model</source>
        <translation>获取其他模型</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open link?</source>
        <translation>打开链接？</translation>
    </message>
    <message>
        <source>Full address</source>
        <translation>完整地址</translation>
    </message>
    <message>
        <source>This link leaves Sixpane. It leads to:</source>
        <translation>这个链接会离开 Sixpane，指向：</translation>
    </message>
    <message>
        <source>Mail to: {site}</source>
        <translation>发邮件到：{site}</translation>
    </message>
    <message>
        <source>Site: {site}</source>
        <translation>网站：{site}</translation>
    </message>
    <message>
        <source>It is written as {readable}; letters of other scripts can look like familiar ones.</source>
        <translation>它写作 {readable}；其他文字的字母可能与常见字母相似。</translation>
    </message>
    <message>
        <source>“{user}” before the @ is a user name, not the site.</source>
        <translation>@ 前面的“{user}”是用户名，不是网站。</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>MessageView</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>No model yet</source>
        <translation>还没有模型</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>Get another model…</source>
        <translation>获取其他模型…</translation>
    </message>
    <message>
        <source>Import a file…</source>
        <translation>导入文件…</translation>
    </message>
</context>
<context>
    <name>ProgressPanel</name>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>Downloading: {done} of {total} MB</source>
        <translation>正在下载：{done} / {total} MB</translation>
    </message>
    <message>
        <source>Converting for this computer: {percent} %</source>
        <translation>正在为这台电脑转换：{percent}%</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>ProsePanel</name>
    <message>
        <source>Text of the answer</source>
        <translation>回答的文字</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Chinese in answers</source>
        <translation>回答中的中文</translation>
    </message>
    <message>
        <source>As the model wrote it</source>
        <translation>保持模型原文</translation>
    </message>
    <message>
        <source>Simplified</source>
        <translation>简体</translation>
    </message>
    <message>
        <source>Traditional</source>
        <translation>繁体</translation>
    </message>
    <message>
        <source>Traditional, as in Taiwan</source>
        <translation>繁体（台湾）</translation>
    </message>
    <message>
        <source>Traditional, as in Hong Kong</source>
        <translation>繁体（香港）</translation>
    </message>
    <message>
        <source>Full-width punctuation in Chinese sentences</source>
        <translation>中文句子使用全角标点</translation>
    </message>
    <message>
        <source>A space between Chinese and Latin words or numbers</source>
        <translation>中文与西文、数字之间加空格</translation>
    </message>
    <message>
        <source>A new language is used after the next start.</source>
        <translation>新的语言在下次启动后生效。</translation>
    </message>
    <message>
        <source>Only what you see changes: the original is what is kept and copied.</source>
        <translation>只改变显示方式：保存和复制的始终是原文。</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>New conversation (Ctrl+N)</source>
        <translation>新对话（Ctrl+N）</translation>
    </message>
    <message>
        <source>Search in all conversations</source>
        <translation>在所有对话中搜索</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>StarterCard</name>
    <message>
        <source>Recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>{size} MB · licence {licence}</source>
        <translation>{size} MB · 许可证 {licence}</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Download {name}</source>
        <translation>下载 {name}</translation>
    </message>
    <message>
        <source>Use {name}</source>
        <translation>使用 {name}</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>没有模型</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>waiting for the answer in another conversation</source>
        <translation>正在等待另一个对话的回答</translation>
    </message>
    <message>
        <source>reading the conversation: {done} of {total} tokens</source>
        <translation>正在读取对话：{done} / {total} 词元</translation>
    </message>
    <message>
        <source>{rate} tokens/s</source>
        <translation>{rate} 词元/秒</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>正在回答</translation>
    </message>
    <message>
        <source>context: {used} of {all} tokens</source>
        <translation>上下文：{used} / {all} 词元</translation>
    </message>
</context>
<context>
    <name>TablePanel</name>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
</context>
<context>
    <name>TroubleBar</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>TypedMessage</name>
    <message>
        <source>Edit the question</source>
        <translation>修改问题</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>您的消息</translation>
    </message>
    <message>
        <source>Instruction</source>
        <translation>指令</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Conversation deleted</source>
        <translation>对话已删除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>WelcomePage</name>
    <message>
        <source>Ask anything. It stays on this computer.</source>
        <translation>想问什么都可以，内容只留在这台电脑上。</translation>
    </message>
    <message>
        <source>Explain what a hash table is, with a short example in Python.</source>
        <translation>解释什么是哈希表，并给出一个简短的 Python 例子。</translation>
    </message>
    <message>
        <source>Write a polite mail that moves a meeting to next week.</source>
        <translation>写一封有礼貌的邮件，把会议改到下周。</translation>
    </message>
    <message>
        <source>What is the difference between weather and climate?</source>
        <translation>天气和气候有什么区别？</translation>
    </message>
</context>
<context>
    <name>_VersionSwitch</name>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation>第 {number} 个版本，共 {count} 个</translation>
    </message>
</context>
<context>
    <name>answers</name>
    <message>
        <source>{rate} tokens/s</source>
        <translation>{rate} 词元/秒</translation>
    </message>
    <message>
        <source>first token after {seconds} s</source>
        <translation>首个词元用时 {seconds} 秒</translation>
    </message>
    <message>
        <source>The answer is cut here: it reached the length limit.</source>
        <translation>回答在这里被截断：已达到长度上限。</translation>
    </message>
    <message>
        <source>You stopped this answer.</source>
        <translation>您停止了这个回答。</translation>
    </message>
    <message>
        <source>Ended here, because the model repeated itself without end.</source>
        <translation>模型一直在重复，因此在这里结束。</translation>
    </message>
    <message>
        <source>Interrupted: the program ended before the answer was complete.</source>
        <translation>已中断：回答完成之前程序已退出。</translation>
    </message>
</context>
<context>
    <name>application</name>
    <message>
        <source>It can be kept under another name, and a new history begun.</source>
        <translation>可以把它换个名字保留下来，并开始新的历史记录。</translation>
    </message>
    <message>
        <source>Begin a new history</source>
        <translation>开始新的历史记录</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>errors</name>
    <message>
        <source>A text that ends the answer must not be empty.</source>
        <translation>结束回答的文本不能为空。</translation>
    </message>
    <message>
        <source>Another Sixpane is changing the models just now; wait for it and try again.</source>
        <translation>另一个 Sixpane 正在更改模型，请等它完成后再试。</translation>
    </message>
    <message>
        <source>Cancelled; nothing was kept.</source>
        <translation>已取消，没有保留任何内容。</translation>
    </message>
    <message>
        <source>Converting {name} needs {needed} MB of free space, and the disk of {folder} has {free} MB; free some space and try again.</source>
        <translation>转换 {name} 需要 {needed} MB 可用空间，而 {folder} 所在的磁盘只有 {free} MB；请腾出空间后再试。</translation>
    </message>
    <message>
        <source>No model is loaded, so this cannot be answered; choose another model.</source>
        <translation>没有加载模型，无法回答；请选择其他模型。</translation>
    </message>
    <message>
        <source>Pip cannot read its configuration ({detail}); mend that, or import a file that you already have with `sixpane models import FILE.gguf`.</source>
        <translation>pip 无法读取它的配置（{detail}）；请修正，或用 `sixpane models import FILE.gguf` 导入已有的文件。</translation>
    </message>
    <message>
        <source>A model is found by its name, which was left out.</source>
        <translation>请给出模型的名称。</translation>
    </message>
    <message>
        <source>An argument is not valid text in the terminal&apos;s encoding.</source>
        <translation>有一个参数在终端的编码中不是有效文本。</translation>
    </message>
    <message>
        <source>Beam search follows no constraint; ask for one of the two.</source>
        <translation>束搜索不支持约束，请二者选一。</translation>
    </message>
    <message>
        <source>Beam search gives one answer; ask for several answers without it.</source>
        <translation>束搜索只给出一个回答；要得到多个回答，请不要使用束搜索。</translation>
    </message>
    <message>
        <source>Beam search tells no alternatives; ask for one of the two.</source>
        <translation>束搜索不提供候选词元，请二者选一。</translation>
    </message>
    <message>
        <source>No answer of at most {limit} tokens was found that keeps to the constraint; allow more tokens.</source>
        <translation>在 {limit} 个词元之内找不到符合约束的回答，请允许更多词元。</translation>
    </message>
    <message>
        <source>Probabilities are told with --json alone.</source>
        <translation>只有使用 --json 时才会给出概率。</translation>
    </message>
    <message>
        <source>Several models are called {name}; say which: {names}.</source>
        <translation>有几个模型都叫 {name}，请指明是哪一个：{names}。</translation>
    </message>
    <message>
        <source>Sixpane does not know the kind of constraint {kind}.</source>
        <translation>Sixpane 不认识约束类型 {kind}。</translation>
    </message>
    <message>
        <source>Sixpane is already open with this history; use that window or close it.</source>
        <translation>Sixpane 已经打开了这份历史记录；请使用那个窗口或将它关闭。</translation>
    </message>
    <message>
        <source>Something could not be read or written: {reason}.</source>
        <translation>读取或写入失败：{reason}。</translation>
    </message>
    <message>
        <source>Something went wrong inside Sixpane ({kind}); the log has the details.</source>
        <translation>Sixpane 内部出错（{kind}）；日志中有详细信息。</translation>
    </message>
    <message>
        <source>Standard input is not UTF-8 text.</source>
        <translation>标准输入不是 UTF-8 文本。</translation>
    </message>
    <message>
        <source>Stopped; what came of {name} so far is kept, and the next download goes on from there.</source>
        <translation>已停止；{name} 已下载的部分会保留，下次从那里继续。</translation>
    </message>
    <message>
        <source>The JSON schema is no object.</source>
        <translation>该 JSON Schema 不是一个对象。</translation>
    </message>
    <message>
        <source>The JSON schema is not valid JSON ({reason}).</source>
        <translation>该 JSON Schema 不是有效的 JSON（{reason}）。</translation>
    </message>
    <message>
        <source>The connection broke again and again; what came so far is kept, so try again later, or import a file that you already have with `sixpane models import FILE.gguf`.</source>
        <translation>连接多次中断；已下载的部分会保留，请稍后再试，或用 `sixpane models import FILE.gguf` 导入已有的文件。</translation>
    </message>
    <message>
        <source>The constraint cannot be followed any further ({reason}).</source>
        <translation>无法继续遵循该约束（{reason}）。</translation>
    </message>
    <message>
        <source>The constraint cannot be used ({reason}).</source>
        <translation>无法使用该约束（{reason}）。</translation>
    </message>
    <message>
        <source>The conversion of {name} ended unexpectedly; perhaps the memory of this machine is too small for it.</source>
        <translation>{name} 的转换意外结束；可能是这台电脑的内存不够。</translation>
    </message>
    <message>
        <source>The conversion of {name} failed because of a fault in Sixpane: {reason}.</source>
        <translation>由于 Sixpane 的故障，{name} 转换失败：{reason}。</translation>
    </message>
    <message>
        <source>The disk is full, so the history cannot be saved; free some space and try again.</source>
        <translation>磁盘已满，历史记录无法保存；请腾出空间后再试。</translation>
    </message>
    <message>
        <source>The download cannot be written to {folder} ({reason}); free some space there or mend its permissions.</source>
        <translation>下载内容无法写入 {folder}（{reason}）；请腾出空间或修正权限。</translation>
    </message>
    <message>
        <source>The file {file} cannot be read ({reason}).</source>
        <translation>无法读取文件 {file}（{reason}）。</translation>
    </message>
    <message>
        <source>The file {name} cannot be read ({reason}).</source>
        <translation>无法读取文件 {name}（{reason}）。</translation>
    </message>
    <message>
        <source>The file {name} cannot be read: {reason}.</source>
        <translation>无法读取文件 {name}：{reason}。</translation>
    </message>
    <message>
        <source>The file {name} does not say which token ends an answer.</source>
        <translation>文件 {name} 没有说明用哪个词元结束回答。</translation>
    </message>
    <message>
        <source>The file {name} gives {key} as {value}, which Sixpane does not support.</source>
        <translation>文件 {name} 的 {key} 为 {value}，Sixpane 不支持。</translation>
    </message>
    <message>
        <source>The file {name} has a damaged tokenizer.</source>
        <translation>文件 {name} 的分词器已损坏。</translation>
    </message>
    <message>
        <source>The file {name} has a tokenizer of the kind {kind}, which Sixpane does not support.</source>
        <translation>文件 {name} 的分词器类型为 {kind}，Sixpane 不支持。</translation>
    </message>
    <message>
        <source>The file {name} has a tokenizer that cuts texts in the way {way}, which Sixpane does not know.</source>
        <translation>文件 {name} 的分词器按 {way} 方式切分文本，Sixpane 不认识这种方式。</translation>
    </message>
    <message>
        <source>The file {name} has no tokenizer, so Sixpane cannot use it.</source>
        <translation>文件 {name} 没有分词器，Sixpane 无法使用。</translation>
    </message>
    <message>
        <source>The file {name} has the architecture {architecture}; Sixpane knows {known}.</source>
        <translation>文件 {name} 的架构是 {architecture}；Sixpane 支持 {known}。</translation>
    </message>
    <message>
        <source>The file {name} has version {version} of GGUF; Sixpane reads versions 2 and 3.</source>
        <translation>文件 {name} 是 GGUF 第 {version} 版；Sixpane 只能读取第 2 和第 3 版。</translation>
    </message>
    <message>
        <source>The file {name} holds safetensors, which this version cannot import; look for a GGUF file of the same model.</source>
        <translation>文件 {name} 是 safetensors 格式，此版本无法导入；请寻找同一模型的 GGUF 文件。</translation>
    </message>
    <message>
        <source>The file {name} holds the tensor {tensor}, which Sixpane does not know in this architecture.</source>
        <translation>文件 {name} 含有张量 {tensor}，Sixpane 不知道这种架构中有它。</translation>
    </message>
    <message>
        <source>The file {name} is a compressed archive; unpack it and import the GGUF file in it.</source>
        <translation>文件 {name} 是压缩包；请先解压，再导入其中的 GGUF 文件。</translation>
    </message>
    <message>
        <source>The file {name} is a pickle or an archive, not a GGUF file; it is refused, since a pickle can run code.</source>
        <translation>文件 {name} 是 pickle 或压缩包，不是 GGUF 文件；由于 pickle 可能执行代码，已拒绝导入。</translation>
    </message>
    <message>
        <source>The file {name} is a pickle, or an archive that may hold one; a pickle can run any code when it is opened, so Sixpane never reads one: look for a GGUF file of the same model.</source>
        <translation>文件 {name} 是 pickle，或可能含有 pickle 的压缩包；打开 pickle 时可能执行任意代码，因此 Sixpane 从不读取：请寻找同一模型的 GGUF 文件。</translation>
    </message>
    <message>
        <source>The file {name} is a web page, not a model; the download got a page instead of the file, so fetch it again.</source>
        <translation>文件 {name} 是网页，不是模型；下载到的是页面而不是文件，请重新下载。</translation>
    </message>
    <message>
        <source>The file {name} is cut: it has {size} bytes where its head asks for at least {needed}; fetch it again.</source>
        <translation>文件 {name} 不完整：只有 {size} 字节，而文件头要求至少 {needed} 字节；请重新获取。</translation>
    </message>
    <message>
        <source>The file {name} is damaged: it gives an impossible {what}, {value}.</source>
        <translation>文件 {name} 已损坏：{what} 的值 {value} 不可能成立。</translation>
    </message>
    <message>
        <source>The file {name} is damaged: its head holds a text that is not UTF-8.</source>
        <translation>文件 {name} 已损坏：文件头中有不是 UTF-8 的文本。</translation>
    </message>
    <message>
        <source>The file {name} is damaged: its tensor {tensor} has the shape {found} instead of {expected}.</source>
        <translation>文件 {name} 已损坏：张量 {tensor} 的形状是 {found}，应为 {expected}。</translation>
    </message>
    <message>
        <source>The file {name} is damaged: its weights are no numbers.</source>
        <translation>文件 {name} 已损坏：其中的权重不是有效数值。</translation>
    </message>
    <message>
        <source>The file {name} is empty; fetch it again.</source>
        <translation>文件 {name} 是空的；请重新下载。</translation>
    </message>
    <message>
        <source>The file {name} is not a GGUF file; Sixpane imports models as GGUF.</source>
        <translation>文件 {name} 不是 GGUF 文件；Sixpane 只导入 GGUF 格式的模型。</translation>
    </message>
    <message>
        <source>The file {name} is not a GGUF file; its first bytes are wrong.</source>
        <translation>文件 {name} 不是 GGUF 文件：开头的字节不对。</translation>
    </message>
    <message>
        <source>The file {name} is only the Git LFS pointer to a model; fetch the file itself with `git lfs pull`.</source>
        <translation>文件 {name} 只是模型的 Git LFS 指针；请用 `git lfs pull` 获取文件本身。</translation>
    </message>
    <message>
        <source>The file {name} lacks the tensor {tensor}.</source>
        <translation>文件 {name} 缺少张量 {tensor}。</translation>
    </message>
    <message>
        <source>The file {name} stores {tensor} in block type {number}, which Sixpane does not support.</source>
        <translation>文件 {name} 用块类型 {number} 存放 {tensor}，Sixpane 不支持。</translation>
    </message>
    <message>
        <source>The file {name} takes too long to check.</source>
        <translation>检查文件 {name} 用时过长。</translation>
    </message>
    <message>
        <source>The folder of the models, {folder}, cannot be changed ({reason}); free some space there or mend its permissions.</source>
        <translation>无法更改模型文件夹 {folder}（{reason}）；请腾出空间或修正权限。</translation>
    </message>
    <message>
        <source>The folder {folder} cannot be written ({reason}); set SIXPANE_HOME to one that can.</source>
        <translation>无法写入文件夹 {folder}（{reason}）；请把 SIXPANE_HOME 设为可写的文件夹。</translation>
    </message>
    <message>
        <source>The history {path} cannot be opened: {reason}.</source>
        <translation>无法打开历史记录 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The history {path} cannot be used: {reason}.</source>
        <translation>无法使用历史记录 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The history {path} cannot be written; check the rights of the file and folder.</source>
        <translation>无法写入历史记录 {path}；请检查文件和文件夹的权限。</translation>
    </message>
    <message>
        <source>The history {path} is damaged or is not a history of Sixpane.</source>
        <translation>历史记录 {path} 已损坏，或者不是 Sixpane 的历史记录。</translation>
    </message>
    <message>
        <source>The history {path} was written by a newer Sixpane; update the program to open it.</source>
        <translation>历史记录 {path} 由更新版本的 Sixpane 写成；请更新程序后再打开。</translation>
    </message>
    <message>
        <source>The memory is too small to convert {name}.</source>
        <translation>内存不足，无法转换 {name}。</translation>
    </message>
    <message>
        <source>The model cannot be written: {reason}.</source>
        <translation>无法写入模型：{reason}。</translation>
    </message>
    <message>
        <source>The model computes no numbers; it is damaged, so import it again.</source>
        <translation>模型算出的结果不是数字，它已损坏，请重新导入。</translation>
    </message>
    <message>
        <source>The model failed while it computed; try again or choose another model.</source>
        <translation>模型在计算时出错；请重试或选择其他模型。</translation>
    </message>
    <message>
        <source>The model folder {folder} cannot be written: {reason}.</source>
        <translation>无法写入模型文件夹 {folder}：{reason}。</translation>
    </message>
    <message>
        <source>The model {folder} cannot be loaded; import it again.</source>
        <translation>无法加载模型 {folder}；请重新导入。</translation>
    </message>
    <message>
        <source>The model {folder} has an unreadable {file}; import the model again.</source>
        <translation>模型 {folder} 的 {file} 无法读取；请重新导入模型。</translation>
    </message>
    <message>
        <source>The model {folder} has no chat template, so it cannot hold a conversation.</source>
        <translation>模型 {folder} 没有对话模板，无法进行对话。</translation>
    </message>
    <message>
        <source>The model {folder} has no readable tokenizer; import the model again.</source>
        <translation>模型 {folder} 没有可读的分词器；请重新导入模型。</translation>
    </message>
    <message>
        <source>The model {folder} is damaged: its graph is not what its manifest says; import it again.</source>
        <translation>模型 {folder} 已损坏：计算图与清单不符；请重新导入。</translation>
    </message>
    <message>
        <source>The model {folder} is damaged: {file} is cut or altered; import the model again.</source>
        <translation>模型 {folder} 已损坏：{file} 不完整或被改动；请重新导入模型。</translation>
    </message>
    <message>
        <source>The model {folder} is damaged: {file} is not what was written (its SHA-256 differs); import the model again.</source>
        <translation>模型 {folder} 已损坏：{file} 与写入时不同（SHA-256 不一致）；请重新导入模型。</translation>
    </message>
    <message>
        <source>The model {folder} is incomplete: {file} is missing; import the model again.</source>
        <translation>模型 {folder} 不完整：缺少 {file}；请重新导入模型。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template cannot write this conversation: {reason}.</source>
        <translation>模型的对话模板无法写出这段对话：{reason}。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template is not valid ({reason}); import the model again.</source>
        <translation>模型的对话模板无效（{reason}）；请重新导入模型。</translation>
    </message>
    <message>
        <source>The name of the file to import was left out.</source>
        <translation>请给出要导入的文件名。</translation>
    </message>
    <message>
        <source>The prompt is scored for one answer alone; ask for several answers without it.</source>
        <translation>只有生成单个回答时才能为提示评分，请去掉评分后再生成多个回答。</translation>
    </message>
    <message>
        <source>The setting {name} must be above 0 and at most {most}, not {value}.</source>
        <translation>设置 {name} 必须大于 0 且不超过 {most}，而不是 {value}。</translation>
    </message>
    <message>
        <source>The setting {name} must be from {least} to {most}, not {value}.</source>
        <translation>设置 {name} 必须在 {least} 到 {most} 之间，而不是 {value}。</translation>
    </message>
    <message>
        <source>The setting {name} must be {least} or more, not {value}.</source>
        <translation>设置 {name} 必须不小于 {least}，而不是 {value}。</translation>
    </message>
    <message>
        <source>The text is too short: the first token cannot be scored, and there is no other.</source>
        <translation>文本太短：第一个词元无法评分，而且没有其他词元。</translation>
    </message>
    <message>
        <source>The text is {over} tokens longer than the context of the model.</source>
        <translation>文本比模型的上下文长 {over} 个词元。</translation>
    </message>
    <message>
        <source>There is no model that could read it yet; get one with: sixpane models get smollm2</source>
        <translation>还没有可用的模型，请用以下命令获取：sixpane models get smollm2</translation>
    </message>
    <message>
        <source>There is no standard input to read from.</source>
        <translation>没有可读取的标准输入。</translation>
    </message>
    <message>
        <source>What the model has read of this conversation cannot be kept on the disk ({reason}).</source>
        <translation>模型已读取的这段对话内容无法保存到磁盘（{reason}）。</translation>
    </message>
    <message>
        <source>{draft} cannot guess for {model}: their tokens are not the same.</source>
        <translation>{draft} 不能为 {model} 预测：两者的词元不同。</translation>
    </message>
    <message>
        <source>{path} is a file, so no models can be kept in it; set SIXPANE_HOME to a folder.</source>
        <translation>{path} 是一个文件，无法存放模型；请将 SIXPANE_HOME 设为一个文件夹。</translation>
    </message>
    <message>
        <source>The question is {over} tokens too long for this model; shorten it and send it again.</source>
        <translation>问题比这个模型允许的长度多出 {over} 个词元；请缩短后再发送。</translation>
    </message>
    <message>
        <source>A constraint ends the answer by itself; leave out what else would end it.</source>
        <translation>约束会自行结束回答，请去掉其他结束回答的设置。</translation>
    </message>
    <message>
        <source>The settings cannot be read ({reason}); the usual ones are used.</source>
        <translation>无法读取设置（{reason}），将使用默认设置。</translation>
    </message>
    <message>
        <source>The settings cannot be saved ({reason}); they hold until the window is closed.</source>
        <translation>无法保存设置（{reason}），关闭窗口后将失效。</translation>
    </message>
    <message>
        <source>The settings could not be understood; the usual ones are used, and the old file is kept as {file}.</source>
        <translation>设置文件无法识别，将使用默认设置；原文件已保留为 {file}。</translation>
    </message>
    <message>
        <source>The system lacks libraries that a window needs ({names}); install the packages that the README lists.</source>
        <translation>系统缺少打开窗口所需的库（{names}）；请安装 README 中列出的软件包。</translation>
    </message>
    <message>
        <source>There is already a model in the folder {folder}; remove it first.</source>
        <translation>文件夹 {folder} 中已有模型；请先移除。</translation>
    </message>
    <message>
        <source>There is no file {name}.</source>
        <translation>没有文件 {name}。</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>没有文件 {path}。</translation>
    </message>
    <message>
        <source>There is no model called {name}, nor any other; get one with `sixpane models get`.</source>
        <translation>没有名为 {name} 的模型，也没有其他模型；请用 `sixpane models get` 获取。</translation>
    </message>
    <message>
        <source>There is no model called {name}; there are {names}.</source>
        <translation>没有名为 {name} 的模型；现有 {names}。</translation>
    </message>
    <message>
        <source>There is no model to measure yet; get one with: sixpane models get smollm2</source>
        <translation>还没有可以测量的模型；请先获取：sixpane models get smollm2</translation>
    </message>
    <message>
        <source>There is no question to answer.</source>
        <translation>没有要回答的问题。</translation>
    </message>
    <message>
        <source>There is no removed model to take back.</source>
        <translation>没有可以恢复的已移除模型。</translation>
    </message>
    <message>
        <source>There is no screen to open a window on; `sixpane ask` answers without one.</source>
        <translation>没有可以打开窗口的屏幕；`sixpane ask` 不需要屏幕也能回答。</translation>
    </message>
    <message>
        <source>There is no standard output to write to.</source>
        <translation>没有可写入的标准输出。</translation>
    </message>
    <message>
        <source>There is no starter called {name}; there are {names}.</source>
        <translation>没有名为 {name} 的入门模型；可选的有 {names}。</translation>
    </message>
    <message>
        <source>This installation has no pip to download with; fetch a GGUF file by other means and import it with `sixpane models import FILE.gguf`.</source>
        <translation>这个安装没有可用于下载的 pip；请用其他方式获取 GGUF 文件，再用 `sixpane models import FILE.gguf` 导入。</translation>
    </message>
    <message>
        <source>What came for {name} is not the expected file (its size or SHA-256 differs), so nothing was kept; try again, or import a file that you already have with `sixpane models import FILE.gguf`.</source>
        <translation>下载到的 {name} 不是预期的文件（大小或 SHA-256 不同），因此没有保留；请重试，或用 `sixpane models import FILE.gguf` 导入已有的文件。</translation>
    </message>
    <message>
        <source>{folder} is not a model of Sixpane: it has no {file}.</source>
        <translation>{folder} 不是 Sixpane 的模型：没有 {file}。</translation>
    </message>
    <message>
        <source>{name} is a folder; Sixpane imports models as one GGUF file.</source>
        <translation>{name} 是文件夹；Sixpane 以单个 GGUF 文件导入模型。</translation>
    </message>
    <message>
        <source>{name} is already being fetched by another Sixpane; wait for it.</source>
        <translation>另一个 Sixpane 正在下载 {name}；请等待它完成。</translation>
    </message>
    <message>
        <source>{name} needs {needed} MB of free space for its download, and the disk of {folder} has {free} MB; free some space and try again.</source>
        <translation>下载 {name} 需要 {needed} MB 可用空间，而 {folder} 所在的磁盘只有 {free} MB；请腾出空间后再试。</translation>
    </message>
    <message>
        <source>{name} would have to be fetched over the network, which is refused; import a file that you already have with `sixpane models import FILE.gguf`.</source>
        <translation>{name} 需要从网络获取，而联网已被拒绝；请用 `sixpane models import FILE.gguf` 导入已有的文件。</translation>
    </message>
    <message>
        <source>{path} has no {file}, so it may not be Sixpane&apos;s and is left alone; remove it by hand if nothing else needs it.</source>
        <translation>{path} 没有 {file}，可能不属于 Sixpane，因此不作改动；如果没有别的程序需要它，请手动移除。</translation>
    </message>
</context>
<context>
    <name>starters</name>
    <message>
        <source>Small and quick; simple answers, in English only.</source>
        <translation>小巧快速；只会英文，回答简单。</translation>
    </message>
    <message>
        <source>Larger and slower; better answers, in Chinese and English, and trained on code.</source>
        <translation>更大更慢；中英文回答更好，并受过代码训练。</translation>
    </message>
</context>
</TS>
