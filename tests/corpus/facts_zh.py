"""Chinese facts as people state them, by setting; the marks are those of `facts_en`."""

CODING = """
named value | 记住：项目名是 «青鸟»。
named value | 作者是 «geektutu»。
named value | 用的语言是 «TypeScript»。
named value | 启动命令是 «npm run dev»。
named value | 目标是«做一个最简单可运行的 Agent»。
named value | 代码目录在 «/home/daijie/git/qingniao»。
named value | 数据库是 «PostgreSQL»。
named value | 测试环境的密码是 «liulang-88»。
named value | 负责人是«林夏»。
named value | 发布分支叫 «release/2031-q1»。
path | 配置文件在 «/etc/qingniao/server.yaml» 里。
path | 请看一下 «src/router/index.ts» 这个文件。
path | 日志都写到 «/var/log/qingniao/access.log»。
path | 迁移脚本是 «db/migrations/0017_add_tenant.sql»。
path | Windows 上的路径是 «D:\\build\\qingniao\\out.log»。
url | 监控页面是 «https://grafana.qingniao.example/d/abc123»，打开看看。
url | 测试服务器是 «test-02.qingniao.internal:8443»。
command | 用 `«pytest tests/api -x --lf»` 可以复现。
command | 部署的时候运行 «docker compose up -d gateway» 就行。
command | 先执行 «git rebase origin/dev» 再提交。
code | 问题出在 «parse_token_stream» 这个函数。
code | 组件 «UserProfileCard» 渲染了两次。
code | 环境变量 «QN_DISABLE_CACHE» 没有设置。
number | 接口的超时上限是 «1500 毫秒»。
number | 每页最多显示 «50 条»记录。
number | 上传文件不能超过 «20 MB»。
number | 内存给了 «16 GB»，够用了。
number | 冻结期从 «2031年2月3日» 开始。
number | 并发大约 «320 个»连接。
version | 线上用的是 Node «20.11.1»。
version | Redis 的版本是 «7.2.4»。
hash | 构建编号是 «b7c2-114»。
hash | 出问题的提交是 «4e8a1f90c3»。
hash | 工单是 «QN-1093»。
error | 报错是 «TypeError: Cannot read properties of undefined»。
error | 日志里有 «ETIMEDOUT»，别的都正常。
quoted | 按钮的文字改为「«立即下单»」比较好。
quoted | 标题写成“«夜间维护公告»”就可以。
rule | «永远不要直接推送到主分支»。
rule | «提交前必须跑一遍全部测试»。
rule | «禁止在日志里打印用户手机号»。
rule | «所有时间一律用 UTC 存储»。
rule | «不要引入新的依赖»。
rule | «记住要兼容旧版接口»。
named value | 端口是 «8081»。 => 端口改成 «9090» 了。
named value | 缓存服务器是 «cache-01»。 => 更正一下，缓存服务器是 «cache-07»。
~ | 我不知道为什么会这样。
~ | 这个问题总是在周二出现。
~ | 你还记得我们上次说的吗？
~ | 要不要先休息一下？
~ | 这个接口好像有点慢。
"""

WRITING = """
named value | 主角叫«沈青禾»。
named value | 书名是《«盐的账本»》。
named value | 故事发生的城市是«泉州»。
named value | 反派是«陆掌柜»。
named value | 编辑的名字是«周以宁»。
named value | 截止日期是 «2032年3月14日»。
named value | 小船的名字叫「«晚星»」。
named value | 体裁是«中篇小说»。
named value | 人称是«第一人称»。
number | 第一章大约 «3200 字»。
number | 沈青禾出场时 «34 岁»。
number | 暴雨下了 «11 天»。
number | 全书一共 «28 章»。
number | 稿费是 «12500 元»。
number | 回忆发生在 «1987年10月9日»。
quoted | 序章的最后一句是“«没有人会称两次盐»”，不改了。
quoted | 她哼的歌是《«十四条渔船»》。
quoted | 信的开头是「«弟弟，冰已经化了»」。
path | 稿子在 «~/writing/yan/draft-03.docx»。
path | 人物设定放在 «notes/renwu.md» 里。
url | 参考的地图是 «https://maps.example/quanzhou?layer=1890»。
hash | 合同编号是 «YZ-2031-0457»。
rule | «不要用“忽然”这个词»。
rule | «每一章必须以物件结尾»。
rule | «记住沈青禾不会游泳»。
rule | «千万不要写死那条狗»。
rule | «对话里禁止出现感叹号»。
named value | 狗的名字是«花椒»。 => 其实狗的名字是«桂圆»，不是花椒。
named value | 灯塔守人的名字是«安叔»。 => 更正：灯塔守人的名字是«陶叔»。
~ | 第二稿我一直不太喜欢。
~ | 念出来总是更顺一些。
~ | 她是不是该走了？
~ | 这一段好像太长了。
"""

SUPPORT = """
named value | 客户是«明湖口腔»。
named value | 客户经理是«倪佳»。
named value | 租户编号是 «mh-0093-cn»。
named value | 路由器型号是 «NX-4400»。
named value | 管理员密码是 «shiying!42»。
named value | 联系电话是 «021-5550-1234»。
named value | 时区是 «Asia/Shanghai»。
number | 发票金额是 «1349.5 元»。
number | 早上的网速只有 «38 Mbps»。
number | 周一断了 «47 分钟»。
number | 他们一共 «63 个»座位。
number | 退款要在 «2031-04-30» 之前到账。
number | 每天最多导出 «5000 条»记录。
hash | 工单号是 «INC-88213»。
hash | 机身序列号是 «SN7Q2-44KD-0913»。
hash | 失败的付款是 «pay_8Hq3ZrT1»。
url | 状态页是 «https://status.minghu.example/9f2»。
url | 日志发到 «support@minghu.example»。
path | 客户端日志在 «C:\\ProgramData\\Minghu\\agent.log»。
error | 屏幕上显示 «Error 0x80070005: Access is denied»。
error | 浏览器提示 «ERR_CERT_DATE_INVALID»。
quoted | 语音留言改成「«假期休息，节后回复»」。
version | 桌面客户端是 «v8.2.1»。
command | 让他们运行 «ping -n 20 10.20.0.1» 看看。
rule | «十点之前不要给诊所打电话»。
rule | «书面回复必须抄送客户经理»。
rule | «不得承诺固件的发布日期»。
rule | «所有退款一律由二线审批»。
named value | 联系人是«何医生»。 => 联系人现在是«费女士»。
named value | 回访时间是 «9:15»。 => 不对，回访时间是 «16:45»，不是 9:15。
~ | 他们不明白为什么这么久。
~ | 诊所周一总是很忙。
~ | 我可能点错了什么。
"""
