// Names that ArkUI puts into every .ets file. Knowing one says nothing about whether
// the device can run it; that is decided when it is used.

const words = (text) => text.trim().split(/\s+/);

// ForEach, LazyForEach and Repeat are no components for the parser.
export const COMPONENTS = words(`
  AbilityComponent AlphabetIndexer Animator ArcAlphabetIndexer ArcList ArcListItem ArcScrollBar ArcSwiper Badge Blank Button
  Calendar CalendarPicker Camera Canvas Checkbox CheckboxGroup Circle ColorPicker Column ColumnSplit
  Component3D ContainerReader ContainerSpan ContentSlot Counter DataPanel DatePicker DepthComponent DistortionComponent Divider EffectComponent Ellipse
  EmbeddedComponent Flex FlowItem FolderStack FormComponent FormLink Gauge GeometryView Grid GridCol
  GridContainer GridItem GridRow Hyperlink Image ImageAnimator ImageSpan IndicatorComponent
  IsolatedComponent LazyColumnLayout LazyDynamicLayout LazyVGridLayout LazyVWaterFlowLayout Line LinearIndicator List ListItem ListItemGroup LoadingProgress
  LocationButton Marquee MediaCachedImage Menu MenuItem MenuItemGroup NavDestination NavRouter Navigation
  Navigator NodeContainer Option Panel Particle PasteButton Path PatternLock PluginComponent Polygon
  Polyline Progress QRCode Radio Rating Rect Refresh RelativeContainer RemoteWindow RichEditor RichText
  RootScene Row RowSplit SaveButton Screen Scroll ScrollBar Search SecurityUIExtensionComponent Select SelectionContainer
  Shape SideBarContainer Slider Span Stack Stepper StepperItem Swiper SymbolGlyph SymbolSpan TabContent
  Tabs Text TextArea TextClock TextInput TextPicker TextTimer TimePicker Toggle ToolBarItem
  UIExtensionComponent UIPickerComponent UnionEffectContainer Video Web WindowScene WithEnv WithTheme WaterFlow
  XComponent
`);

export const DECORATORS = words(`
  AnimatableExtend Builder BuilderParam Component ComponentV2 Computed Concurrent Consume Consumer
  CustomDialog Entry Env Event Extend Local LocalBuilder LocalStorageLink LocalStorageProp Link Monitor
  ObjectLink Observed ObservedV2 Once Param Preview Prop Provide Provider Recycle Require Reusable
  ReusableV2 Sendable State StorageLink StorageProp Styles SyncMonitor Trace Track Type Watch
`);

export const ENUMS = words(`
  CacheMode WebDarkMode WebLayoutMode WebCaptureMode WebNavigationType FileSelectorMode
  ParticleType ParticleEmitterShape ParticleUpdater DistributionType DisturbanceFieldShape
  PasteButtonOnClickResult LocationButtonOnClickResult PasteDescription LocationDescription PasteIconStyle LocationIconStyle
  AccessibilityHoverType AccessibilityRole AdaptiveColor Alignment AnimationStatus AppRotation ArrowPosition
  ArrowPointPosition Axis AxisAction AxisModel BadgePosition BarMode BarPosition BarState BarStyle
  BarrierDirection BlendApplyType BlendMode BlurOnKeyboardHideMode BlurStyle BlurStyleActivePolicy
  BorderStyle BreakpointsReference ButtonRole ButtonStyleMode ButtonType CalendarAlign CancelButtonStyle
  CanvasGradient ChainStyle ChainEdgeEffect CheckBoxShape CircleShape ClickEffectLevel Color ColorContent
  ColorMode ColoringStrategy ColorSpace ContentClipMode ContentType ControlSize CopyOptions CrownAction
  CrownSensitivity Curve CustomColorMode DataPanelType DateTimePickerMode DatePickerMode DialogAlignment
  DialogButtonDirection DialogButtonStyle DisplayMode DismissReason DpiFollowStrategy DragBehavior
  DragPreviewMode DragResult DragStartAnimation DraggingSizeChangeEffect Edge EdgeEffect EditMode
  EffectEdge EffectType EllipsisMode EmbeddedType EnterKeyType EventQueryType ExpandMode FillMode
  FinishCallbackType FlexAlign FlexDirection FlexWrap FocusPriority FocusWrapMode FoldStatus FontStyle
  FontWeight FormDimension FormRenderingMode FormShape FrameNodeState FunctionKey GestureControl
  GestureJudgeResult GestureMask GestureMode GesturePriority GestureRecognizerState GradientDirection
  GridDirection GridItemAlignment GridItemStyle GridRowDirection GuideLinePositon HapticFeedbackMode
  HapticFeedbackType HeightBreakpoint HitTestMode HitTestType HorizontalAlign HoverEffect HoverModeAreaType
  IlluminatedType ImageContent ImageFit ImageInterpolation ImageOriginalSize ImageRenderMode ImageRepeat
  ImageRotateOrientation ImageSize ImageSpanAlignment IndexerAlign InputType InteractionHand
  ItemAlign ItemDragEventHandler ItemState KeyProcessingMode KeySource KeyType KeyboardAppearance
  KeyboardAvoidMode LaunchMode LaunchType LayoutDirection LayoutSafeAreaEdge LayoutSafeAreaType LayoutStyle
  LengthMetricsUnit LineBreakStrategy LineCapStyle LineJoinStyle ListItemAlign ListItemGroupStyle
  ListItemStyle LoadingProgressStyle MarqueeStartPolicy MarqueeState MarqueeUpdateStrategy MaxLinesMode
  MenuAlignType MenuKeyboardAvoidMode MenuPolicy MenuPreviewMode MessageLevel MixedMode ModalMode
  ModalTransition ModelType ModifierKey MouseAction MouseButton NavBarPosition NavDestinationActiveReason
  NavDestinationMode NavRouteMode NavigationMode NavigationOperation NavigationSystemTransitionType
  NavigationTitleMode NavigationType NestedScrollMode NodeRenderType ObscuredReasons OptionWidthMode
  OutlineStyle OverScrollMode OverlayOffset PageFlipMode PanDirection PanelHeight PanelMode PanelType
  PatternLockChallengeResult PerfMonitorActionType PerfMonitorSourceType PickerDialogButtonDirection
  PinchDirection PixelRoundCalcPolicy PixelRoundMode PixelRoundPolicy Placement PlayMode PlaybackSpeed
  PreDragStatus PresetFillType ProgressStatus ProgressStyle ProgressType ProtectedResourceType
  RadioIndicatorType RefreshStatus RelateType RenderExitReason RenderFit RenderMode RenderProcessNotRespondingReason
  RepeatMode ResolutionQuality ResponseType RichEditorDeleteDirection RichEditorResponseType
  RichEditorSpanType RotateDirection RouteType SafeAreaEdge SafeAreaType SaveButtonOnClickResult
  SaveDescription SaveIconStyle ScrollAlign ScrollBarDirection ScrollDirection ScrollSizeMode
  ScrollSnapAlign ScrollSnapAnimationSpeed ScrollSource ScrollState SearchType SecurityDpiFollowStrategy
  SeekMode SelectStatus ShadowStyle ShadowType SharedTransitionEffectType SheetKeyboardAvoidMode SheetMode
  SheetSize SheetType ShowMode SideBarContainerType SideBarPosition Size SlideEffect SlideRange
  SliderBlockType SliderChangeMode SliderInteraction SliderStyle SourceTool SourceType StateEffect
  StickyStyle StyledStringKey SubMenuExpandingMode SweepGradientOptions SwipeActionState SwipeDirection
  SwipeEdgeEffect SwiperAnimationMode SwiperDisplayMode SwiperNestedScrollMode SymbolEffectStrategy
  SymbolRenderingStrategy TabBarMode TabsCacheMode TextAlign TextCascadePickerRangeContent TextCase
  TextChangeReason TextContentStyle TextDataDetectorType TextDecorationStyle TextDecorationType
  TextDeleteDirection TextHeightAdaptivePolicy TextInputStyle TextMenuShowMode TextOverflow
  TextRecognizerType TextResponseType TextSelectableMode TextSpanType ThemeColorMode ThreatType
  TimePickerFormat TitleHeight ToggleType ToolbarItemStatus TouchType TouchTestStrategy TransitionEdge
  TransitionHierarchyStrategy TransitionType VerticalAlign ViewportFit VisibilityState Visibility WaterFlowLayoutMode
  WeekDay WidthBreakpoint WindowModeFollowStrategy WindowStatusType WordBreak XComponentType
`);

// Classes and functions with a value of their own.
export const VALUES = words(`
  BottomTabBarStyle SubTabBarStyle Indicator DotIndicator DigitIndicator LinearGradient
  ActionSheet AlertDialog AlphabetIndexerAttribute AnimatorParam AppStorage AppStorageV2 BounceSymbolEffect
  CalendarController CalendarPickerDialog CanvasPattern CanvasRenderingContext2D ChildrenMainSize
  ClickEffect ColorMetrics ComponentContent ContextMenu CubicBezierCurve CustomDialogController
  DataResubmissionHandler DatePickerDialog Disappear DisappearSymbolEffect DrawModifier DrawingCanvas
  DrawingRenderingContext DynamicDimension DynamicLayout EditMenuOptions Environment EventTargetInfo
  FloatingBallBottomModifier ForEach FrictionMotion FullScreenExitHandler GestureGroup GesturePath GestureRecognizer
  GestureModifier GridLayoutOptions HierarchicalSymbolEffect ICurve ImageAttachment ImageBitmap ImageData
  IndicatorComponentController JsGeolocation LayoutManager LazyForEach LengthMetrics LevelOrder Linear
  ListScroller LocalStorage LongPressGesture LongPressRecognizer Matrix2D MultiShadowOptions NavExtender
  NavPathStack NavDestinationTransition OffscreenCanvas OffscreenCanvasRenderingContext2D PageTransitionEnter
  PageTransitionExit PanGesture PanGestureOptions PanRecognizer ParagraphStyle Path2D PatternLockController
  PersistenceV2 PersistentStorage PinchGesture PinchRecognizer PlainSymbolEffect ProgressMask PulseSymbolEffect
  RectShape RenderingContextSettings Repeat ReplaceSymbolEffect RestrictedWorker RichEditorController
  RichEditorStyledStringController RotationGesture RotationRecognizer ScaleSymbolEffect ScrollableTargetInfo
  Scroller SearchController SpringMotion SpringProp StepsCurve StyledString MutableStyledString
  SubscribedAbstractProperty SwipeGesture SwipeRecognizer SwiperController SwiperContentTransitionProxy
  SymbolEffect TabsController TapGesture TapRecognizer TextAreaController TextClockController TextController
  TextInputController TextMenuController TextMenuItemId TextPickerDialog TextShadowStyle TextStyle
  TextTimerController TimePickerDialog Tabs TransitionEffect UIContext UICommonEvent UIUtils
  UrlStyle BackgroundColorStyle BaselineOffsetStyle CustomSpan DecorationStyle GestureStyle LetterSpacingStyle
  LineHeightStyle UserDataSpan VideoController WaterFlowSections WebController WebCookie WebResourceRequest
  WebResourceResponse XComponentController
  $r $rawfile $$ animateTo animateToImmediately canIUse cancelAnimationFrame clearInterval clearTimeout
  console createCustomComponent dollar_r decodeURI evaluate focusControl fp2px getContext getInspectorByKey
  getInspectorNodeById getInspectorNodes getInspectorTree loadNativeModule lpx2px measureText
  postCardAction print px2fp px2lpx px2vp registerVsyncCallback requestAnimationFrame requestFocus
  setAppBgColor setInspectorNodeFocus setInterval setTimeout sendEventByKey sendKeyEvent sendMouseEvent
  sendTouchEvent vp2px wrapBuilder mutableBuilder requireNapi requireInternal requireNativeModule
  ArkTSUtils ConsoleLogger TextDecoder TextEncoder
`);

// Names of types only, where no rule of thumb finds them.
const TYPES = words(`
  AbilityInfo AccelerationBy Accessibility Affine Area ArrowStyle AsyncCallback AttributeModifier
  AttributeUpdater BackgroundBrightness Bindable BorderRadiuses BorderRadius Borders Callback CommonAttribute
  CommonInstance CommonMethod CommonShape CommonShapeMethod Component Context CustomBuilder CustomComponent
  CustomTheme DataChangeListener Decoration Degree Dimension DoubleClickCallback DragItemInfo ESObject EdgeColors
  EdgeOutlineStyles EdgeOutlineWidths EdgeStyles EdgeWidths Edges EmitterProperty ErrorCallback EscapeRect
  EventTarget ExtendableComponent FoldBoundary Font FontSettings FrameNode GestureInterface GestureType
  GridColColumnOption GridRowColumnOption GridRowSizeOption GuideLinePosition GutterOption HoverCallback
  IDataSource IMonitor IMonitorValue ItemDragInfo JSON Layoutable Length LengthConstrain Lengths
  LinearGradient LocalizedBarrierStyle LocalizedEdges LocalizedPadding LocalizedPosition Margin Matrix4
  Measurable MeasureResult MenuElement MultiShadow NavDestinationContext NavPathInfo NavigationMenuItem
  ObservedObject Offset OnWillScrollCallback Optional OptionalWrapper PX Padding Percentage PickerItem
  Pivot PixelMap PixelRoundCalc PopInfo Position PreviewText ProvideOptions Rectangle RepeatItem
  Resource ResourceColor ResourceStr Resources RotateAngle SceneOptions SelectOption ShadowOptions
  SizeResult Spacing StateStyles StyledStringValue SubscribaleAbstract TabBarSymbol TemplateTypedFunc
  TextDataDetector Theme ThemeControl TouchObject TranslateDimension UIAbility UIGestureEvent VP VoidCallback
  Want WrappedBuilder MutableBuilder WidthType
`);

// ArkUI declares hundreds of option and event types, named by rule. Where only a type
// is asked for, such a name is taken to be one of them.
const TYPE_SUFFIX = new RegExp(
  '(Options?|Style|Styles|Param|Params|Event|EventData|Controller|Attribute|Interface|Instance|Type|Mode|Callback|' +
    'Result|Info|Modifier|Config|Configuration|Handler|Listener|Value|Item|Size|Effect|Gesture|Recognizer|' +
    'Policy|Strategy|Builder|Target|Data|Range|Position|Proxy|Context|Metrics|Action|State|Status|Insets)$',
);

export const TYPE_NAMES = [
  ...new Set([...TYPES, ...COMPONENTS.flatMap((name) => [`${name}Attribute`, `${name}Interface`])]),
];

export const looksLikeArkUiType = (name) => /^[A-Z]/.test(name) && TYPE_SUFFIX.test(name);
